import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defined } from '@lethe/numerics';
import { chromium } from 'playwright-core';
import { build, type Rollup } from 'vite';
import { expect, test } from 'vitest';

const executablePath =
  process.env['CHROMIUM'] ??
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
    .find(existsSync);
const missing = executablePath === undefined || !existsSync(executablePath);

/** Kilobytes of JavaScript: what shows the page, and the training as it is and as it is sent. */
const most = { page: 4, plain: 350, sent: 133 };

test('the example page is built, trains in a browser, and asks nobody else', async ({ skip }) => {
  if (missing && process.env['CI'] === undefined) skip('no chromium on PATH and CHROMIUM is not set');
  const root = new URL('../example/', import.meta.url).pathname;
  const built = (await build({ root, configFile: false, logLevel: 'warn', build: { write: false } })) as
    | Rollup.RollupOutput
    | readonly Rollup.RollupOutput[];
  const { output } = 'output' in built ? built : built[0];
  const files = new Map(output.map((one) => [one.fileName, 'code' in one ? one.code : String(one.source)]));
  const scripts = [...files].filter(([name]) => name.endsWith('.js'));
  expect(scripts.length).toBe(2);
  const [shell, training] = scripts.map(([, text]) => text).toSorted((a, b) => a.length - b.length);
  expect(shell.length / 1000).toBeLessThan(most.page);
  expect(training.length / 1000).toBeLessThan(most.plain);
  expect(gzipSync(training).length / 1000).toBeLessThan(most.sent);

  const browser = await chromium.launch({
    executablePath: defined(executablePath),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  });
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route('**/*', async (route) => {
      const name = new URL(route.request().url()).pathname.slice(1) || 'index.html';
      const body = files.get(name);
      if (body === undefined) complaints.push(`asks for ${name}`);
      await route.fulfill({
        body: body ?? '',
        contentType: name.endsWith('.js') ? 'text/javascript' : 'text/html',
        headers: { 'content-security-policy': "connect-src 'none'" },
      });
    });
    await page.goto('http://example.test/');
    await page.getByRole('button', { name: 'Train' }).click();
    await page.getByText('Done.').waitFor();
    const shown = await page.locator('dl').innerText();
    const [, epsilon] = defined(/ε at most (\S+) at δ = 0\.00001/u.exec(shown));
    expect(Number(epsilon)).toBeLessThanOrEqual(1);
    expect(Number(epsilon)).toBeGreaterThan(0.9);
    // Those who are older are late more often, whatever the noise.
    const [, , age] = defined(/Weights\n(\S+), (\S+),/u.exec(shown));
    expect(Number(age)).toBeGreaterThan(0);
    await page.locator('#records').fill('age\n18\n');
    await page.getByRole('button', { name: 'Train' }).click();
    await page
      .getByRole('status')
      .getByText(/column/u)
      .waitFor({ timeout: 5000 });
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});
