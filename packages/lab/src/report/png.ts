import { InvalidParameter } from '@lethe/core';

/** Draws an SVG that stands alone as a PNG, at two dots for each of its pixels. */
export type DrawPng = (svg: string) => Uint8Array;

/** Dots for each pixel of the figure, so that letters stay sharp on paper and on dense screens. */
export const dotsPerPixel = 2;

/** Families without serifs of the usual systems; `system-ui` is known to browsers alone. */
const families = 'DejaVu Sans, Liberation Sans, Noto Sans, Helvetica, Arial, sans-serif';

/** A letter, which is blank without a font. */
const probe =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">' +
  '<text x="2" y="16" font-family="sans-serif" font-size="14">M</text></svg>';

/**
 * What draws figures as PNG: the package `@resvg/resvg-js`, which is installed apart, with the fonts of the
 * machine.
 *
 * @throws {InvalidParameter} without the package, and without a font.
 */
export async function pngDrawer(): Promise<DrawPng> {
  const { Resvg } = await import('@resvg/resvg-js').catch((cause: unknown) => {
    throw new InvalidParameter(
      '--png draws with the package @resvg/resvg-js, which is installed apart: npm i @resvg/resvg-js',
      {},
      { cause },
    );
  });
  const drawn = (svg: string) =>
    new Resvg(svg.replaceAll('system-ui, sans-serif', families), {
      fitTo: { mode: 'zoom', value: dotsPerPixel },
      font: { loadSystemFonts: true },
    }).render();
  if (drawn(probe).pixels.every((one) => one === 0))
    throw new InvalidParameter(
      '--png finds no font on this machine, and figures without their words say nothing; install one, ' +
        'such as DejaVu Sans, or use the SVG files',
      {},
    );
  return (svg) => drawn(svg).asPng();
}
