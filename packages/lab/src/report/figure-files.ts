import { parseHTML } from 'linkedom';
import { html, trusted, type Html } from './escape.js';
import { paperColours } from './style.js';

const panel = { width: 328, height: 288 };
/** Room around panels and lines of text, in pixels. */
const gap = 20;
const line = 22;
/** Width of a character of 14 px, on the generous side. */
const character = 7.4;
/** Panels in a row. */
const most = 3;

/** What is used of an element of the page. */
interface Element {
  readonly outerHTML: string;
  readonly textContent: string | null;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
  closest(selector: string): Element | null;
  setAttribute(name: string, value: string): void;
}

/** Name of the file of a figure, by its place in the page. */
export const figureName = (index: number): string => `figure-${index + 1}.svg`;

/**
 * The figures of a report as SVG files that stand alone, by their names: title, legend and panels, in the
 * colours of paper. A figure of a simulation says so.
 */
export function figureFiles(report: string): Readonly<Record<string, string>> {
  const { document } = parseHTML(report);
  const figures: readonly Element[] = [...document.querySelectorAll('figure')];
  return Object.fromEntries(
    figures.map((figure, i) => [figureName(i), `${inColour(drawn(figure)).trim()}\n`]),
  );
}

function drawn(figure: Element): string {
  const article = figure.closest('article');
  const title = textOf(figure, 'h4');
  const subject = [textOf(article, 'h2'), textOf(figure.closest('section'), 'h3')].filter(Boolean).join(': ');
  const label = textOf(article, '.strip');
  const panels = [...figure.querySelectorAll('.panel')];
  const columns = Math.min(most, Math.max(2, panels.length));
  const width = columns * (panel.width + gap) + gap;
  const keys = legendOf(figure, width);
  const top = 3 * line + keys.height;
  const rows = Math.ceil(panels.length / columns);
  const height = top + rows * (panel.height + line + gap);
  return html`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" fill="none" color="var(--ink)" font-family="system-ui, sans-serif" font-size="14">
<title>${[subject, title, label].filter(Boolean).join('. ')}</title>
<rect width="100%" height="100%" fill="var(--paper)"/>
<text x="${gap}" y="${line}" font-size="16" font-weight="600" fill="var(--ink)">${title}</text>
<text x="${gap}" y="${2 * line}" fill="var(--quiet)">${subject}</text>
<text x="${width - gap}" y="${line}" text-anchor="end" font-weight="600" fill="var(--warning)">${label}</text>
${keys.drawing}
${panels.map((one, i) => {
  const [x, y] = [
    gap + (i % columns) * (panel.width + gap),
    top + Math.floor(i / columns) * (panel.height + line + gap),
  ];
  return html`<text x="${x}" y="${y + line - 6}" font-weight="600" fill="var(--ink)">${textOf(one, 'h5')}</text>
${placed(one.querySelector('svg'), { x, y: y + line, ...panel })}
`;
})}</svg>`.markup;
}

/** A legend in as many lines as the width asks for. */
function legendOf(figure: Element, width: number): { readonly drawing: Html; readonly height: number } {
  let [x, y] = [gap, 2 * line + 10];
  const entries = [...figure.querySelectorAll('.legend li')].map((entry) => {
    const text = textOf(entry, 'span');
    const room = 44 + character * text.length + gap;
    if (x > gap && x + room > width) [x, y] = [gap, y + line];
    const at = x;
    x += room;
    return html`${placed(entry.querySelector('svg'), { x: at, y, width: 34, height: 14 })}<text x="${at + 42}" y="${y + 12}" fill="var(--ink)">${text}</text>
`;
  });
  return { drawing: html`${entries}`, height: y - 2 * line + line };
}

/** A drawing of the page at a place. */
function placed(svg: Element | null, box: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>): Html {
  for (const [name, value] of Object.entries(box)) svg?.setAttribute(name, String(value));
  return trusted(svg?.outerHTML ?? '');
}

const textOf = (within: Element | null, what: string): string =>
  within?.querySelector(what)?.textContent?.trim() ?? '';

/** Programs that draw know no custom properties. */
const inColour = (svg: string): string =>
  svg.replaceAll(/var\(--([\w-]+)\)/gu, (_, name: string) => paperColours[name] ?? 'currentColor');
