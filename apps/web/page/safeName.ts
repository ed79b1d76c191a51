/** Direction marks, joiners and controls, which can make a name look like another one. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{115F}\u{1160}\u{3164}\u{FFA0}\u{2800}]/gu;
/** More combining marks on one letter than any language uses: they would cover nearby text. */
const PILED = /(\p{M}{2})\p{M}+/gu;
const LENGTH_MAX = 40;

/** An untrusted name in a form that is safe to show. */
export interface SafeName {
  readonly text: string;
  /** What was changed; undefined where nothing was. */
  readonly warning?: string;
}

/** Anybody can give a token any name: removes deceptive characters and clips it. */
export function safeName(name: string, lengthMax = LENGTH_MAX): SafeName {
  const clean = name.replace(INVISIBLE, "").replace(PILED, "$1").trim();
  const letters = [...clean];
  const text = letters.length > lengthMax ? `${letters.slice(0, lengthMax).join("")}…` : clean;
  if (clean === "") return { text: "(no name)", warning: "The token's name cannot be seen" };
  if (clean !== name.trim()) return { text, warning: "Invisible characters were taken out" };
  if (text !== clean) return { text, warning: "The token's name is longer" };
  return { text };
}
