import { Resvg } from '@resvg/resvg-js';
import { InvalidParameter } from '@lethe/core';
import { afterEach, expect, test, vi } from 'vitest';
import { fakeEvaluation } from './fixtures.js';
import { figureFiles } from '../src/report/figure-files.js';
import { dotsPerPixel, pngDrawer } from '../src/report/png.js';
import { renderReport } from '../src/report/render.js';

afterEach(() => void vi.doUnmock('@resvg/resvg-js'));

test('a PNG has the size of its SVG, its drawing and its words', async () => {
  const [svg] = Object.values(figureFiles(renderReport([fakeEvaluation()])));
  const [, width, height] = /width="(\d+)" height="(\d+)"/u.exec(svg) ?? [];
  const png = (await pngDrawer())(svg);
  const bytes = new DataView(png.buffer, png.byteOffset);
  expect(Buffer.from(png.subarray(1, 4)).toString('latin1')).toBe('PNG');
  expect([bytes.getUint32(16), bytes.getUint32(20)]).toEqual(
    [width, height].map((one) => dotsPerPixel * Number(one)),
  );
  /** Dots that are not of the paper. */
  const inked = (image: string): number => {
    const { pixels } = new Resvg(image, { font: { loadSystemFonts: false } }).render();
    const paper = pixels.subarray(0, 4);
    let count = 0;
    for (let at = 0; at < pixels.length; at += 4)
      count += Number(pixels.subarray(at, at + 4).compare(paper) !== 0);
    return count;
  };
  const size = `width="${width}" height="${height}"`;
  const href = `data:image/png;base64,${Buffer.from(png).toString('base64')}`;
  const shown = `<svg xmlns="http://www.w3.org/2000/svg" ${size}><image ${size} href="${href}"/></svg>`;
  // Without fonts the lines alone are drawn; the rest of the ink is the words.
  const lines = inked(svg);
  expect(lines).toBeGreaterThan(1000);
  expect(inked(shown)).toBeGreaterThan(lines + 1000);
});

test('without the package it says how to get it', async () => {
  vi.doMock('@resvg/resvg-js', () => {
    throw new Error('Cannot find package');
  });
  await expect(pngDrawer()).rejects.toThrow(InvalidParameter);
  await expect(pngDrawer()).rejects.toThrow('npm i @resvg/resvg-js');
});
