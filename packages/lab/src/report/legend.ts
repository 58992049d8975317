import type { BoundPoint } from '../experiment/results.js';
import { html, trusted, type Content, type Html } from './escape.js';
import type { Frame } from './frame.js';
import type { Style } from './series.js';

const key = (path: string): Html =>
  trusted(`<svg class="key" viewBox="0 0 34 14" aria-hidden="true">${path}</svg>`);
const shapes: Readonly<Record<Style['symbol'], string>> = {
  circle: 'M21.5 7A4.5 4.5 0 1 1 12.5 7A4.5 4.5 0 1 1 21.5 7Z',
  square: 'M13 3H21V11H13Z',
  triangle: 'M17 1.5L22 10.5H12Z',
  diamond: 'M17 1L21.5 7L17 13L12.5 7Z',
  star: 'M17 1L18.4 5.2H22.8L19.2 7.8L20.6 12L17 9.4L13.4 12L14.8 7.8L11.2 5.2H15.6Z',
  cross: 'M15.5 2H18.5V5.5H22V8.5H18.5V12H15.5V8.5H12V5.5H15.5Z',
};

/** A line and a symbol, as a legend shows them. */
export const sample = ({ colour, symbol, dash }: Style): Html =>
  key(
    `<path d="M1 7H33" stroke="${colour}" stroke-width="1.75" stroke-dasharray="${dash}"/><path ` +
      `d="${shapes[symbol]}" fill="${colour}"/>`,
  );

/** A lower bound, as a legend shows it. */
export const boundKey = key(
  '<path d="M1 7H33" stroke="var(--ink)" stroke-width="1.5" stroke-dasharray="5 4"/>',
);
/** An upper bound, as a legend shows it. */
export const upperKey = key(
  '<path d="M1 7H33" stroke="var(--ink)" stroke-width="1"/>' +
    '<path d="M12.5 4H21.5L17 11Z" fill="var(--paper)" stroke="var(--ink)"/>',
);

/** What every line of a figure means. */
export function legend({
  series,
  curves,
  explicit,
  crowded,
}: Pick<Frame, 'series' | 'curves' | 'explicit' | 'crowded'>): Html {
  const entry = (mark: Html, text: Content): Html => html`<li>${mark}<span>${text}</span></li>`;
  const has = (kind: string): boolean => curves.some((curve) => curve.kind === kind);
  return html`<ul class="legend">${series.map(({ name, style }) => entry(sample(style), name))}${has('lower') ? entry(boundKey, boundText(explicit)) : null}${
    has('upper')
      ? entry(
          key(
            `<path d="M1 7H33" stroke="var(--ink)" stroke-width="${crowded ? 0.75 : 1}"/>${crowded ? '' : '<path d="M12.5 4H21.5L17 11Z" fill="var(--paper)" stroke="var(--ink)"/>'}`,
          ),
          'upper bound of a plan, in the colour of its optimizer',
        )
      : null
  }${curves
    .filter(({ kind }) => kind === 'rate')
    .map(({ name, style: { colour, dash } }) =>
      entry(
        key(`<path d="M1 7H33" stroke="${colour}" stroke-width="1" stroke-dasharray="${dash}"/>`),
        `${name} (rate, up to a constant)`,
      ),
    )}${entry(
    key('<path d="M1 7H33" stroke="var(--quiet)" stroke-width="1.25"/>'),
    'start: learning nothing',
  )}</ul>`;
}

/** Whether the height of a lower bound means something, in words. */
export const constantOf = (points: readonly BoundPoint[]): string =>
  boundText(points.every(({ explicit }) => explicit));
const boundText = (explicit: boolean): string =>
  explicit ? 'lower bound (constant explicit)' : 'lower bound (constant not explicit: only its shape counts)';
