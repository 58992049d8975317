/**
 * Style of the page. Every colour is a custom property; type is never below 14 px, on paper or on a phone.
 */
export const styleSheet = `:root {
  color-scheme: light dark;
  --paper: #fdfcf9; --raised: #f5f3ec; --ink: #1d1f21; --quiet: #5b5f63; --rule: #dedacf; --link: #0b5a94;
  --warning: #9a3412; --warning-paper: #fdeee2;
  --series-0: #0b62a4; --series-1: #c2500a; --series-2: #00795c; --series-3: #96478a; --series-4: #846700; --series-5: #44484c; --series-6: #b0123f; --series-7: #0b7c96;
  --serif: Charter, "Bitstream Charter", "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15171a; --raised: #1e2125; --ink: #e7e5df; --quiet: #a4a8ac; --rule: #363a3f; --link: #82bdf0;
    --warning: #ffb285; --warning-paper: #3a2317;
    --series-0: #6cb6ff; --series-1: #ff9a5c; --series-2: #4fd0a8; --series-3: #e39ad0; --series-4: #e0c04c; --series-5: #b9bdc1; --series-6: #ff8fa8; --series-7: #66d9ea;
  }
}
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); font: 17px/1.6 var(--serif); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 70rem; padding: 0 clamp(16px, 4vw, 48px) 4rem; overflow-wrap: break-word; }
h1, h2, h3, h4, h5, p, ul, ol, dl, figure, pre { margin: 0; }
h2, h3 { font-weight: 600; line-height: 1.2; text-wrap: balance; letter-spacing: -0.01em; }
h2 { font-size: clamp(1.75rem, 1.2rem + 2.4vw, 2.6rem); margin: 1.6rem 0 0.8rem; max-width: 22em; }
h3 { font-size: 1.4rem; margin: 3.2rem 0 0.9rem; padding-top: 1.1rem; border-top: 1px solid var(--rule); }
h4 { font: 600 1rem/1.35 var(--sans); margin: 1.4rem 0 0.5rem; }
h5 { font: 600 0.9rem/1.3 var(--sans); }
a { color: var(--link); text-underline-offset: 0.15em; }
article p, article .findings, figcaption { max-width: 40rem; }
article p + p { margin-top: 0.6rem; }
code, pre { font-family: var(--mono); font-size: 0.85rem; }
code { overflow-wrap: anywhere; }
.masthead { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.3rem 2rem; padding: 1.4rem 0 0.9rem; border-bottom: 1px solid var(--rule); font-family: var(--sans); font-size: 0.9rem; }
.masthead h1 { font: 600 0.95rem/1.4 var(--sans); letter-spacing: 0.02em; }
.contents { max-width: none !important; margin-top: 0.9rem; font: 0.9375rem/1.6 var(--sans); }
.contents a { margin-right: 1.4rem; }
.masthead ol { display: flex; flex-wrap: wrap; gap: 0.2rem 1.6rem; padding: 0; list-style: none; }
.quiet, figcaption, .about { color: var(--quiet); }
.about { margin-top: 1.1rem; font-size: 1.08rem; }
figure + .fine { margin-top: 0.6rem; }
.fine { color: var(--quiet); font: 0.9rem/1.5 var(--sans); overflow-wrap: anywhere; }
.note { margin-top: 0.9rem; }
.strip { position: sticky; top: 0; z-index: 1; max-width: none !important; margin-top: 1.2rem !important; padding: 0.45rem 0.9rem; background: var(--warning-paper); color: var(--warning); border-left: 4px solid var(--warning); font: 1rem/1.5 var(--sans); }
.stamp { color: var(--warning); font: 600 0.875rem/1.4 var(--sans); }
.alarm { color: var(--warning); }
.findings { margin: 1.4rem 0 0; padding: 0; list-style: none; font-size: 1.12rem; line-height: 1.5; }
.findings li { padding: 0.6rem 0 0.6rem 1.1rem; border-left: 2px solid var(--rule); }
.terms { display: flex; flex-wrap: wrap; gap: 0.7rem 2.4rem; font: 0.9375rem/1.45 var(--sans); }
.terms div { min-width: 0; max-width: 100%; }
.terms dt { color: var(--quiet); font-size: 0.875rem; }
.terms dd { margin: 0; font-variant-numeric: tabular-nums; }
figure { margin: 2.2rem 0 0; }
.figure-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; gap: 0 1.5rem; }
.figure-head h4 { margin: 0; }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0.5rem 0 1rem; padding: 0; list-style: none; font: 0.9rem/1.4 var(--sans); }
.legend li { display: flex; align-items: center; gap: 0.5rem; min-width: 0; }
.legend span { min-width: 0; }
.key { flex: none; width: 34px; height: 14px; fill: none; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19.5rem), 1fr)); gap: 1.4rem 1.2rem; }
.panel { min-width: 0; max-width: 27rem; }
.panel svg { display: block; width: 100%; height: auto; font-family: var(--sans); }
.panel svg text { white-space: pre; }
figcaption { margin-top: 0.9rem; font: 0.9rem/1.5 var(--sans); }
.scroll { overflow-x: auto; max-width: 100%; width: fit-content; margin: 1.6rem 0; border-block: 1px solid var(--ink); scrollbar-width: thin;
  background: linear-gradient(to right, var(--paper) 40%, transparent) 0 0 / 2.5rem 100% local, linear-gradient(to left, var(--paper) 40%, transparent) 100% 0 / 2.5rem 100% local,
    linear-gradient(to right, var(--rule), transparent) 0 0 / 0.7rem 100%, linear-gradient(to left, var(--rule), transparent) 100% 0 / 0.7rem 100%; background-repeat: no-repeat; }
.scroll:focus-visible, pre:focus-visible, summary:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; font: 0.875rem/1.4 var(--sans); font-variant-numeric: tabular-nums; }
caption { caption-side: top; position: sticky; left: 0; padding: 0.6rem 0.6rem 0.3rem; text-align: left; font-weight: 600; }
th, td { padding: 0.35rem 0.65rem; text-align: right; white-space: nowrap; font-weight: 400; vertical-align: baseline; }
thead th { white-space: normal; color: var(--quiet); border-bottom: 1px solid var(--rule); }
tbody tr + tr > * { border-top: 1px solid var(--rule); }
.words { text-align: left; }
td.words { white-space: normal; min-width: 9rem; max-width: 30rem; }
tbody th { font-weight: 600; }
thead th:first-child, tbody th { position: sticky; left: 0; background: var(--paper); }
tbody th { white-space: normal; min-width: 11.5rem; max-width: 15rem; }
@media (max-width: 40rem) { tbody th { min-width: 6.5rem; max-width: 7.5rem; } th, td { padding-inline: 0.4rem; } }
details { margin: 0.7rem 0; font: 0.9375rem/1.5 var(--sans); }
summary { cursor: pointer; padding: 0.3rem 0; }
details[open] > summary { font-weight: 600; }
.charges { padding: 0; list-style: none; }
.charges > li { padding: 0.5rem 0; }
.tree, .tree ul { margin: 0.3rem 0 0.6rem; padding-left: 1.1rem; list-style: none; border-left: 1px solid var(--rule); font: 0.9375rem/1.5 var(--sans); }
.tree ul { margin: 0.2rem 0; }
.statement { font-family: var(--sans); font-size: 0.9rem; overflow-wrap: anywhere; }
pre { overflow-x: auto; max-width: 100%; padding: 0.9rem 1.1rem; background: var(--raised); border-radius: 4px; line-height: 1.5; }
pre code { overflow-wrap: normal; }
.command code { white-space: pre-wrap; overflow-wrap: anywhere; }
.command + p { margin-top: 0.7rem; }
.file { max-height: 30rem; overflow: auto; }
.certificate { margin: 1.8rem 0 0; padding: 1.3rem clamp(1rem, 3vw, 1.8rem) 1.5rem; max-width: 46rem; background: var(--raised); border-top: 3px solid var(--ink); }
.certificate .quiet { font: 0.9rem/1.4 var(--sans); }
.epsilon { font-size: clamp(1.5rem, 1rem + 2.6vw, 2.2rem); line-height: 1.25; font-variant-numeric: tabular-nums; }
.certificate .terms { display: grid; grid-template-columns: 1fr; gap: 0.5rem; margin-top: 1.1rem; }
@media (min-width: 34rem) { .certificate .terms div { display: grid; grid-template-columns: 9.5rem 1fr; gap: 1rem; } }
article + article { margin-top: 5rem; padding-top: 1rem; border-top: 3px double var(--rule); }
footer { margin-top: 4rem; padding-top: 1rem; border-top: 1px solid var(--rule); color: var(--quiet); font: 0.875rem/1.5 var(--sans); }
@media print {
  :root { --paper: #fff; --raised: #f5f5f5; --ink: #000; --quiet: #444; --rule: #ccc; --warning: #8a2b0a; --warning-paper: #fff; color-scheme: light;
    --series-0: #0b62a4; --series-1: #c2500a; --series-2: #00795c; --series-3: #96478a; --series-4: #846700; --series-5: #44484c; --series-6: #b0123f; --series-7: #0b7c96; }
  html { font-size: 14px; }
  body { max-width: none; padding: 0; }
  nav, footer, .contents { display: none; }
  thead th:first-child, tbody th { position: static; }
  .strip { position: static; border: 2px solid; }
  .panels { grid-template-columns: repeat(3, 1fr); }
  .panel, .certificate, tr, .charges > li { break-inside: avoid; }
  h2, h3, h4, h5, summary, .legend { break-after: avoid; }
  figcaption { break-before: avoid; break-inside: avoid; }
  summary { list-style: none; }
  .scroll { overflow: visible; background: none; }
  table, code { font-size: 0.8rem; }
  th, td { padding: 0.25rem 0.3rem; }
  th, td.words { white-space: normal; min-width: 0; }
  tbody th { min-width: 5rem; max-width: 9rem; }
  table:has(th:nth-child(9)) { font-size: 0.7rem; }
  pre, .file { max-height: none; white-space: pre-wrap; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;

/** Colours of the page on paper, by the names of their custom properties. */
export const paperColours: Readonly<Record<string, string>> = Object.fromEntries(
  [...styleSheet.slice(0, styleSheet.indexOf('}')).matchAll(/--([\w-]+): (#[0-9a-f]+);/gu)].map(
    ([, name, colour]) => [name, colour] as const,
  ),
);
