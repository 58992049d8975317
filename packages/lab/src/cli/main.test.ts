import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { registry } from '../registry.js';
import { shippedAccounting } from './accounting.js';
import { commands } from './commands/index.js';
import { main } from './main.js';

/** Modules that a file loads before anything runs, and those that they load. Type imports load nothing. */
function staticImports(file: URL, seen: Set<string>): ReadonlySet<string> {
  const text = readFileSync(file, 'utf8');
  for (const [, names, specifier] of text.matchAll(/^(?:import|export) (?:([^;]*?) from )?'([^']+)';/gmu)) {
    if (names?.startsWith('type ') === true) continue;
    const isOwn = specifier.startsWith('.');
    const path = isOwn ? new URL(specifier.replace(/\.js$/u, '.ts'), file) : null;
    const name = path === null ? specifier : path.href;
    if (seen.has(name)) continue;
    seen.add(name);
    if (path !== null) staticImports(path, seen);
  }
  return seen;
}

test('the command line starts without loading the packages that only commands need', () => {
  const loaded = [...staticImports(new URL('main.ts', import.meta.url), new Set())];
  expect(loaded.filter((name) => name.startsWith('file:')).length).toBeGreaterThan(commands.length);
  expect(loaded.filter((name) => !/^(?:file|node):/u.test(name))).toEqual([
    '@lethe/create-plugin',
    'commander',
  ]);
});

test('account, calibrate and ledger know every event and accountant that ships', () => {
  for (const kind of ['event', 'accountant'] as const) {
    const shipped = registry.filter((plugin) => plugin.kind === kind);
    expect(shipped.length).toBeGreaterThan(2);
    expect(shippedAccounting.filter((plugin) => plugin.kind === kind)).toEqual(shipped);
  }
});

test('lines of all help are at most 110 characters wide, and every option is there', async () => {
  for (const { name, options } of commands) {
    let out = '';
    const code = await main([name, '-h'], { out: (text) => (out += text), error: () => undefined });
    expect(code).toBe(0);
    for (const option of Object.keys(options)) expect(out).toMatch(new RegExp(`^ {2}--${option}\\b`, 'mu'));
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(110);
  }
});
