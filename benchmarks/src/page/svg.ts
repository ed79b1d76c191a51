/** A picture: its parts are drawn in their order. */
interface Picture {
  readonly width: number;
  readonly height: number;
  /** Says what the picture shows, for people who cannot see it. */
  readonly label: string;
  /** The picture's own rules for light pages, and those that differ on dark pages. */
  readonly style: { readonly light: ReadonlyArray<string>; readonly dark: ReadonlyArray<string> };
  readonly parts: ReadonlyArray<string>;
}

const LIGHT = [
  "text { font: 12px system-ui, sans-serif; fill: #59636e; }",
  ".title { font-size: 14px; font-weight: 600; fill: #1f2328; }",
  ".grid { stroke: #d1d9e0; stroke-width: 1; }",
];
const DARK = ["text { fill: #9198a1; }", ".title { fill: #f0f6fc; }", ".grid { stroke: #3d444d; }"];

/**
 * GitHub shows pictures on light and on dark pages, and sets their colour scheme too. All pictures
 * have the classes `title` (of texts) and `grid` (of lines).
 */
export function svg({ width, height, label, style, parts }: Picture): string {
  const dark = [...DARK, ...style.dark].map((rule) => `  ${rule}`);
  const rules = [...LIGHT, ...style.light, "@media (prefers-color-scheme: dark) {", ...dark, "}"];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
  <style>
${rules.map((rule) => `    ${rule}\n`).join("")}  </style>
${parts.map((part) => `  ${part}\n`).join("")}</svg>
`;
}

/** To a tenth of a pixel. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
