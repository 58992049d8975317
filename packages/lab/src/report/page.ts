import { embedJson, html, trusted, type Html } from './escape.js';
import { figureName } from './figure-files.js';
import { styleSheet } from './style.js';

/** An entry of the table of contents. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly label: string;
}

/** Files of an evaluation. */
const tableNames = ['results.csv', 'results.ndjson', 'results.parquet', 'results.json'] as const;

/** A self-contained page: style, figures and data are inline. */
export function page({
  title,
  entries,
  body,
  data,
  files = tableNames,
  command = 'lethe run',
}: {
  readonly title: string;
  readonly entries: readonly Entry[];
  readonly body: Html;
  readonly data: unknown;
  /** Files with the same results, which the command writes beside the page. */
  readonly files?: readonly string[];
  readonly command?: string;
}): string {
  const figures = Array.from({ length: body.markup.split('<figure ').length - 1 }, (_, i) => figureName(i));
  return html`${trusted('<!doctype html>')}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>
${trusted(styleSheet)}</style>
</head>
<body>
<header class="masthead"><h1>Lethe report</h1>${contents(entries)}</header>
<main>
${body}</main>
<footer><p>The numbers of this page: ${links(files)}, beside this page where <code>${command}</code> wrote it.${figures.length === 0 ? null : html` Its figures: ${links(figures)}.`} They are inside the page too, as JSON, in the element <code>lethe-results</code>.</p></footer>
<script type="application/json" id="lethe-results">${embedJson(data)}</script>
</body>
</html>
`.markup;
}

const links = (names: readonly string[]): Html =>
  html`${names.map((name, i) => html`${i === 0 ? '' : ', '}<a href="${name}" download>${name}</a>`)}`;

function contents(entries: readonly Entry[]): Html | null {
  if (entries.length < 2) return null;
  return html`<nav aria-label="Contents"><ol>${entries.map(({ id, title, label }) => html`<li><a href="#${id}">${title}</a> <span class="quiet">${label}</span></li>`)}</ol></nav>`;
}
