import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { ProfilePoint } from '../profile/profile.js';

const [width, height] = [420, 340];

/**
 * Two curves of a certified profile as an SVG file: δ against ε, and the most true positives that an attack
 * can have against its false alarms.
 *
 * @param points - δ at increasing ε, from 0.
 */
export function accountFigure(title: string, points: readonly ProfilePoint[]): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const shown = points.filter(({ upper }) => upper > 0);
  const panel = (description: string, options: Plot.PlotOptions, left: number): string => {
    const svg = Plot.plot({
      document,
      width,
      height,
      margin: 46,
      style: { fontSize: '13px', background: 'none', overflow: 'visible' },
      ariaLabel: description,
      ...options,
    }) as unknown as { readonly outerHTML: string; setAttribute(name: string, value: string): void };
    svg.setAttribute('x', String(left));
    return svg.outerHTML;
  };
  const curve = panel(
    'delta against epsilon',
    {
      x: { label: 'ε', zero: true },
      y: { type: 'log', label: 'δ, at most' },
      marks: [
        Plot.ruleY([Math.min(...shown.map(({ upper }) => upper))], { strokeOpacity: 0.2 }),
        Plot.line(shown, { x: 'epsilon', y: 'upper', strokeWidth: 1.75 }),
        Plot.dot(
          shown.filter(({ lower }) => lower > 0),
          { x: 'epsilon', y: 'lower', r: 2 },
        ),
      ],
    },
    0,
  );
  const rates = Array.from({ length: 101 }, (_, i) => i / 100).map((falseAlarms) => ({
    falseAlarms,
    detection: mostDetected(points, falseAlarms),
  }));
  const attack = panel(
    'most true positives against false alarms',
    {
      x: { label: 'false alarms', domain: [0, 1] },
      y: { label: 'true positives, at most', domain: [0, 1] },
      marks: [
        Plot.line(
          [
            [0, 0],
            [1, 1],
          ],
          { strokeDasharray: '3 3', strokeOpacity: 0.6 },
        ),
        Plot.line(rates, { x: 'falseAlarms', y: 'detection', strokeWidth: 1.75 }),
      ],
    },
    width,
  );
  const text = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${2 * width}" height="${height}" ` +
    `viewBox="0 0 ${2 * width} ${height}" fill="none" font-family="system-ui, sans-serif">` +
    `<title>${text}</title><rect width="100%" height="100%" fill="white"/>${curve}${attack}</svg>\n`
  );
}

/** Every (ε, δ) of a profile bounds the true positives by two lines. */
const mostDetected = (points: readonly ProfilePoint[], falseAlarms: number): number =>
  points.reduce(
    (least, { epsilon, upper: delta }) =>
      Math.min(
        least,
        delta + Math.exp(epsilon) * falseAlarms,
        1 - Math.exp(-epsilon) * (1 - delta - falseAlarms),
      ),
    1,
  );
