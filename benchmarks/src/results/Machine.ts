import { availableParallelism, cpus, totalmem } from "node:os";

/** The machine that figures were measured on. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
}

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? "unknown CPU",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  };
}

/** One line, with the version of Node. */
export function formatMachine({ cpu, cores, memoryBytes }: Machine, nodeVersion: string): string {
  const memory = (memoryBytes / 2 ** 30).toFixed(1);
  return `${cpu}, ${cores} cores, ${memory} GiB, Node ${nodeVersion}`;
}
