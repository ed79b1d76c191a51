/** The lines that begin a metric in the text format of Prometheus. */
export const family = (
  name: string,
  type: "counter" | "gauge" | "histogram" | "summary",
  help: string,
) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
