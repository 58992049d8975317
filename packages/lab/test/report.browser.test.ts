import { defined } from '@lethe/numerics';
import axe from 'axe-core';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderReport } from '../src/report/render.js';
import { fakeEvaluation, fakeRelease } from './fixtures.js';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const found = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find(existsSync);
const executablePath = process.env['CHROMIUM'] ?? found;
const missing = executablePath === undefined || !existsSync(executablePath);
const skip = missing && process.env['CI'] === undefined;
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Where pictures of the pages are kept, to be looked at; nothing compares them. */
const pictures = process.env['LETHE_SCREENSHOTS'];
const isFull = process.env['LETHE_EFFORT'] === 'full';
const phone = { width: 360, height: 800 };
const desktop = { width: 1280, height: 900 };
/** What margins of 15 mm leave of A4. */
const paper = { width: 680, height: 1000 };

test('a browser is there to look at the report, or this machine says that it has none', ({ skip: leave }) => {
  if (skip) leave('no chromium on PATH and CHROMIUM is not set: the report was not looked at');
  expect(missing, 'install chromium or set CHROMIUM to its path').toBe(false);
});

describe.skipIf(missing)('the report in a browser', () => {
  const folder = mkdtempSync(join(pictures ?? tmpdir(), 'lethe-report-'));
  const path = join(folder, 'report.html');
  /** Every sort of element, and fewer of each: axe takes seconds for a thousand. */
  const short = join(folder, 'short.html');
  let browser: Browser;

  beforeAll(async () => {
    writeFileSync(path, renderReport([fakeEvaluation(), fakeRelease()]));
    writeFileSync(
      short,
      renderReport([fakeEvaluation({ sizes: [10_000, 100_000], seeds: 2 }), fakeRelease()]),
    );
    browser = await chromium.launch({ executablePath: defined(executablePath), args, headless: true });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
  });

  const picture = async (page: Page, name: string): Promise<void> => {
    if (pictures !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  };
  interface Seen {
    readonly page: Page;
    readonly complaints: string[];
    readonly requests: string[];
  }
  async function look<T>(
    size: typeof phone,
    colorScheme: 'light' | 'dark',
    inspect: (seen: Seen) => Promise<T>,
    file = path,
  ): Promise<T> {
    const context = await browser.newContext({ viewport: size, colorScheme });
    try {
      const page = await context.newPage();
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on('console', (message) => {
        if (message.type() !== 'log') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('request', (request) => requests.push(request.url()));
      await page.goto(pathToFileURL(file).href);
      return await inspect({ page, complaints, requests });
    } finally {
      await context.close();
    }
  }

  // By day each size and each scheme, at night each pair of them.
  test.each([
    ['phone', phone, 'light'],
    ['desktop', desktop, 'dark'],
    ...(isFull
      ? ([
          ['phone', phone, 'dark'],
          ['desktop', desktop, 'light'],
        ] as const)
      : []),
  ] as const)('%s, %j, %s: silent, whole, no sideways scroll, readable', async (name, size, scheme) => {
    await look(size, scheme, async ({ page, complaints, requests }) => {
      await picture(page, `${name}-${scheme}`);
      expect(complaints).toEqual([]);
      expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(path).href]);
      await page.evaluate(openAll);
      expect(await page.evaluate(sidewaysScroll)).toBeLessThanOrEqual(0);
      expect(await page.evaluate(smallestType)).toBeGreaterThanOrEqual(size === phone ? 13.9 : 14);
      const { worst, where } = (await page.evaluate(worstContrast)) as {
        readonly worst: number;
        readonly where: string;
      };
      expect(worst, where).toBeGreaterThanOrEqual(4.5);
      await picture(page, `${name}-${scheme}-open`);
    });
  });

  test.each([
    ['phone', phone, 'light', 'screen'],
    ...(isFull
      ? ([
          ['desktop', desktop, 'dark', 'screen'],
          ['desktop', desktop, 'light', 'print'],
        ] as const)
      : []),
  ] as const)('%s, %j, %s, %s: axe finds nothing', async (_name, size, scheme, media) => {
    const inspect = async ({ page }: Seen): Promise<void> => {
      await page.emulateMedia({ media });
      await page.evaluate(openAll);
      await page.evaluate(axe.source);
      expect(await page.evaluate(axeFindings)).toEqual([]);
    };
    await look(size, scheme, inspect, short);
  });

  test('the number that matters is in sight on a phone, beside the name of its row', async () => {
    await look({ width: 390, height: 844 }, 'light', async ({ page }) => {
      const { right, width, name } = (await page.evaluate(medianCell)) as Readonly<Record<string, number>>;
      expect(right).toBeLessThanOrEqual(width);
      // Its row is still named when the table is scrolled.
      expect(name).toBeGreaterThanOrEqual(0);
    });
  });

  test('light and dark differ in their paper', async () => {
    const background = (scheme: 'light' | 'dark'): Promise<string> =>
      look(
        phone,
        scheme,
        ({ page }) =>
          page.evaluate('getComputedStyle(document.documentElement).backgroundColor') as Promise<string>,
      );
    expect(await background('light')).not.toBe(await background('dark'));
  });

  test('every panel is drawn and named', async () => {
    await look(desktop, 'light', async ({ page }) => {
      const panels = page.locator('#result-1 figure .panel svg[role=img]');
      expect(await panels.count()).toBe(2 * (3 + 3));
      for (const panel of await panels.all()) {
        expect(await panel.getAttribute('aria-label')).toMatch(
          /excess risk against .* dp-sgd, noisy-clipped-ac-sa\./u,
        );
        expect(await panel.locator('path').count()).toBeGreaterThan(10);
      }
    });
  });

  test('no words of a panel lie on each other, on a phone', async () => {
    await look(phone, 'light', async ({ page }) => {
      expect(await page.evaluate(overlaps)).toEqual([]);
    });
  });

  test('the label of a simulation stays in sight while its article is read, and not over a release', async () => {
    await look(phone, 'light', async ({ page }) => {
      await page.locator('#result-1 h3').nth(2).scrollIntoViewIfNeeded();
      const strip = await page.locator('#result-1 .strip').boundingBox();
      expect(defined(strip).y).toBeGreaterThanOrEqual(0);
      expect(defined(strip).y).toBeLessThan(phone.height);
      expect(await page.locator('#result-2 .strip').count()).toBe(0);
    });
  });

  test('print shows what is folded away, and makes a document', async () => {
    await look(desktop, 'dark', async ({ page }) => {
      expect(await page.evaluate(folded)).toBeGreaterThan(0);
      await page.emulateMedia({ media: 'print' });
      expect(await page.evaluate(folded)).toBe(0);
      expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
        'rgb(255, 255, 255)',
      );
      await page.setViewportSize(paper);
      expect(await page.evaluate(brokenPairs)).toEqual([]);
      const pdf = await page.pdf({
        path: join(folder, 'report.pdf'),
        format: 'A4',
        margin: { top: '15mm', bottom: '15mm', left: '15mm', right: '15mm' },
      });
      expect(pdf.subarray(0, 4).toString()).toBe('%PDF');
    });
  });
});

// Run inside the page, as text, since this project's types hold no browser.
const openAll = "document.querySelectorAll('details').forEach((one) => { one.open = true; })";
const axeFindings = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ' ' + node.target.join(' '))))`;
const medianCell = `(() => {
  const box = document.querySelector('#result-1 .scroll');
  const heads = [...box.querySelectorAll('thead th')];
  const at = heads.findIndex((one) => one.textContent === 'median');
  const { right } = box.querySelectorAll('tbody tr')[0].children[at].getBoundingClientRect();
  box.scrollLeft = 200;
  return { right, width: innerWidth, name: box.querySelector('tbody th').getBoundingClientRect().left };
})()`;
/** Cells with a number and its error on two lines. */
const brokenPairs = `[...document.querySelectorAll('td')].filter((one) => one.textContent.includes('±')).filter((one) => {
  const range = document.createRange();
  range.selectNodeContents(one);
  return new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom / 8))).size > 1;
}).map((one) => one.textContent)`;
const folded =
  "[...document.querySelectorAll('details > :not(summary)')].filter((one) => !one.checkVisibility()).length";
const sidewaysScroll = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const shown =
  "[...document.querySelectorAll('body *')].filter((one) => [...one.childNodes].some((child) => " +
  "child.nodeType === 3 && child.data.trim() !== '') && !['SCRIPT', 'STYLE', " +
  "'title'].includes(one.tagName) && one.getClientRects().length > 0)";
const smallestType = `(() => {
  const scale = (one) => { const svg = one.ownerSVGElement; return svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1; };
  return Math.min(...${shown}.map((one) => parseFloat(getComputedStyle(one).fontSize) * scale(one)));
})()`;
const worstContrast = `(() => {
  const light = (text) => { const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (one) => { for (let at = one; at; at = at.parentElement) { const { backgroundColor } = getComputedStyle(at); if (backgroundColor !== 'rgba(0, 0, 0, 0)') return backgroundColor; } return 'rgb(255, 255, 255)'; };
  let worst = Infinity, where = '';
  for (const one of ${shown}) {
    const style = getComputedStyle(one);
    const [a, b] = [light(one.ownerSVGElement ? style.fill : style.color), light(behind(one))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst) { worst = ratio; where = one.tagName + ' ' + one.textContent.slice(0, 40); }
  }
  return { worst, where };
})()`;
const overlaps = `[...document.querySelectorAll('.panel svg')].flatMap((svg) => {
  const texts = [...svg.querySelectorAll('text')].map((one) => ({ text: one.textContent, box: one.getBoundingClientRect() }));
  return texts.flatMap((a, i) => texts.slice(i + 1).filter((b) => a.box.left < b.box.right - 1 && b.box.left < a.box.right - 1 && a.box.top < b.box.bottom - 4 && b.box.top < a.box.bottom - 4).map((b) => a.text + ' / ' + b.text));
})`;
