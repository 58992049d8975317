import { describe, expect, test } from 'vitest';
import { exportedByImport } from './export-conditions.js';

describe('what the exports of a package give to an import', () => {
  test.each<readonly [string, unknown, string, string | undefined]>([
    ['a text', './a.js', '.', './a.js'],
    ['a text, below it', './a.js', './sub', undefined],
    ['conditions', { types: './a.d.ts', require: './a.cjs', import: './a.js' }, '.', './a.js'],
    ['conditions in their order', { node: './n.js', import: './a.js' }, '.', './n.js'],
    ['conditions in conditions', { import: { types: './a.d.ts', default: './a.js' } }, '.', './a.js'],
    ['conditions of which none is met', { import: { browser: './b.js' }, default: './a.js' }, '.', './a.js'],
    ['subpaths', { '.': './a.js', './sub': { import: './sub.js' } }, './sub', './sub.js'],
    ['a list', { '.': [{ browser: './b.js' }, './a.js'] }, '.', './a.js'],
    ['a subpath that is closed', { '.': './a.js', './sub': null }, './sub', undefined],
    ['nothing for an import', { require: './a.cjs' }, '.', undefined],
    ['nothing at all', undefined, '.', undefined],
  ])('%s', (_name, exports, subpath, file) => expect(exportedByImport(exports, subpath)).toBe(file));
});
