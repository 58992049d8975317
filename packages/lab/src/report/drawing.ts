import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { trusted, type Html } from './escape.js';
import { formatTick } from './format.js';

/** Size in which a panel is drawn: a phone's width, so that type keeps its size there. */
const width = 328;
const height = 288;
const margins = { marginTop: 34, marginRight: 14, marginBottom: 44, marginLeft: 52 };
/** Where a panel's marks may stand, in its pixels. */
export const frame = {
  left: margins.marginLeft,
  right: width - margins.marginRight,
  top: margins.marginTop,
  bottom: height - margins.marginBottom,
};
/** Keeps words readable where they cross lines. */
export const halo = { stroke: 'var(--paper)', strokeWidth: 3 };

/** What a panel is made of. */
interface Drawing {
  /** Read out in place of the image. */
  readonly description: string;
  readonly x: Plot.ScaleOptions;
  readonly y: Plot.ScaleOptions;
  readonly marks: readonly Plot.Markish[];
}

/** A panel as inline SVG, coloured by the page's custom properties. Text is escaped by the renderer. */
export function draw({ description, x, y, marks }: Drawing): Html {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const plot = Plot.plot({
    document,
    width,
    height,
    ...margins,
    x,
    y,
    marks: [...marks],
    ariaLabel: description,
    style: { fontSize: '14px', background: 'none', overflow: 'visible' },
  }) as unknown as SvgElement;
  plot.setAttribute('role', 'img');
  plot.removeAttribute('width');
  plot.removeAttribute('height');
  for (const style of plot.querySelectorAll('style')) style.remove();
  // Inside an image with a label, the parts are not read out.
  for (const part of plot.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
  return trusted(plot.outerHTML);
}

interface SvgElement {
  readonly outerHTML: string;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  querySelectorAll(selector: string): Iterable<SvgElement>;
}

/** Ticks and names of both axes. */
export const axes = ({
  x,
  y,
  along,
  up,
  tick = formatTick,
}: {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly along: string;
  readonly up: string;
  readonly tick?: (value: number) => string;
}): Plot.Markish[] => [
  Plot.gridY([...y], { stroke: 'var(--rule)', strokeOpacity: 1 }),
  Plot.axisY([...y], { text: tick, tickSize: 0, label: null, fill: 'var(--quiet)' }),
  Plot.axisX([...x], {
    text: formatTick,
    tickSize: 5,
    stroke: 'var(--quiet)',
    fill: 'var(--quiet)',
    label: null,
  }),
  Plot.text([up], {
    frameAnchor: 'top-left',
    dx: -margins.marginLeft,
    dy: -margins.marginTop + 8,
    fill: 'var(--quiet)',
  }),
  Plot.text([along], { frameAnchor: 'bottom', dy: margins.marginBottom - 2, fill: 'var(--quiet)' }),
];
