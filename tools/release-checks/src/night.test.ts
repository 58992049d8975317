import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { expect, it } from 'vitest';
import { root } from './repository.js';

/** TypeScript files below a folder, but for what is installed or built. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    if (/^(?:node_modules|dist|\..*)$/u.test(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(path);
    return path.endsWith('.ts') ? [path] : [];
  });

/** Reads of a variable that has the night try more. */
const reads = /\bLETHE_(?:EFFORT|SEEDS)\b(?:'\]|:)/u;

it('what tests leave to the night is run at night', () => {
  const texts = new Map(
    ['packages', 'tools'].flatMap(filesIn).map((file) => [file, readFileSync(root + file, 'utf8')] as const),
  );
  const importers = new Map<string, string[]>();
  for (const [file, text] of texts)
    for (const [, path = ''] of text.matchAll(/from '(\.[^']*)\.js'/gu)) {
      const imported = `${join(dirname(file), path)}.ts`;
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  const found = new Set<string>();
  const follow = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const importer of importers.get(file) ?? []) follow(importer);
  };
  for (const [file, text] of texts) if (reads.test(text)) follow(file);
  const tests = [...found].filter((file) => file.endsWith('.test.ts'));
  expect(tests.length).toBeGreaterThan(50);

  const nightly = readFileSync(`${root}.ci/nightly`, 'utf8').replaceAll('\\\n', '');
  const [run = ''] = /^.* vitest run .*$/mu.exec(nightly) ?? [];
  expect(run).toContain('LETHE_EFFORT=full LETHE_SEEDS=all');
  const places = run.split(/\s+/u).filter((word) => /^(?:packages|tools)\//u.test(word));
  // `npm run mutants` tries these, on all seeds.
  expect(nightly).toMatch(/^npm run mutants \|\|.*\nnpm run mutants -- --tight/mu);
  const byMutants = /^tools\/mutants\/(?:corpus|mutants-\d)\.test\.ts$/u;
  expect(
    tests.filter((file) => !byMutants.test(file) && !places.some((place) => file.startsWith(place))),
  ).toEqual([]);
});
