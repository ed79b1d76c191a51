/**
 * The style of the reference page: everything between its tags. A policy that names the text's hash
 * allows no other style.
 */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; box-sizing: border-box; padding: 1rem; border-right: 1px solid #8884; }
nav h2 { font-size: 1rem; margin: 1rem 0 0.25rem; } nav ul { list-style: none; padding: 0; margin: 0; overflow-wrap: anywhere; } nav b { font-size: 0.75em; opacity: 0.7; }
main { padding: 1rem 2rem 4rem; max-width: 60rem; }
section { border-top: 1px solid #8884; margin-top: 1.5rem; }
section:target, tr:target { background: #fd02; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #8883; }
code { font-size: 0.95em; } pre { background: #8882; padding: 0.75rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; } }
`;
