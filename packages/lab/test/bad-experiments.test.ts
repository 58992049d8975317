import { readFileSync } from 'node:fs';
import { InvalidParameter, LetheError } from '@lethe/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readExperiment } from '../src/experiment/read.js';
import { evaluation, labFolder, lethe, release, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

/** Part of the spoilt files that are tried by day; all are at night. */
const part = process.env['LETHE_EFFORT'] === 'full' ? 1 : 0.4;

const shipped = ['flights.yaml', 'flights-release.yaml'].map(
  (name) => [name, readFileSync(new URL(`../experiments/${name}`, import.meta.url), 'utf8')] as const,
);
const strange: readonly unknown[] = [
  null,
  true,
  '',
  'x',
  -1,
  0,
  0.5,
  1e-300,
  1e308,
  -1e308,
  [],
  {},
  [[]],
  { name: 5 },
  '__proto__',
  'NaN',
];

type Path = readonly (string | number)[];
const placesOf = (value: unknown, path: Path = []): Path[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.keys(value).flatMap((key) => [
        [...path, Array.isArray(value) ? Number(key) : key],
        ...placesOf((value as Record<string, unknown>)[key], [...path, key]),
      ]);

/**
 * A deep copy of plain content in which one place is replaced, dropped, or has a sibling nobody asked for.
 */
function changed(content: unknown, path: Path, how: { readonly to: unknown } | 'drop' | 'rename'): unknown {
  const copy = structuredClone(content);
  let parent = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) parent = parent[key] as typeof parent;
  const last = path[path.length - 1];
  if (typeof how === 'object') parent[last] = how.to;
  else {
    if (how === 'rename') parent[`${last}s`] = parent[last];
    if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else delete parent[last];
  }
  return copy;
}
const spoilt = (content: unknown): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      fc.constantFrom(...placesOf(content).filter(([first]) => first !== 'ledger')),
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...strange).map((to) => ({ to })) },
        fc.constantFrom('drop' as const, 'rename' as const),
      ),
    )
    .map(([path, how]) => changed(content, path, how));

/** Reads an experiment; only an `InvalidParameter` that names the file may refuse it. */
function read(name: string, content: string | Uint8Array | object): 'read' | 'refused' {
  try {
    readExperiment(folder.write(name, content));
    return 'read';
  } catch (error) {
    if (!(error instanceof InvalidParameter))
      throw new Error('threw something that is no InvalidParameter', { cause: error });
    expect(error.message).toContain(name);
    expect(error.message.length).toBeLessThan(3000);
    return 'refused';
  }
}

describe.each(shipped)('%s', (_name, text) => {
  test('is read as it is shipped', () => {
    expect(read('a.yaml', text)).toBe('read');
  });

  test('with its text damaged anywhere is read, or refused by name', () => {
    const lines = text.split('\n');
    const line = fc.nat(lines.length - 1);
    const without = line.map((at) => lines.toSpliced(at, 1).join('\n'));
    const twice = line.map((at) => lines.toSpliced(at, 0, lines[at]).join('\n'));
    const swapped = fc
      .tuple(line, line)
      .map(([a, b]) => lines.with(a, lines[b]).with(b, lines[a]).join('\n'));
    const cut = fc.nat(text.length).map((at) => text.slice(0, at));
    const inserted = fc
      .tuple(
        fc.nat(text.length),
        fc.constantFrom(
          '\t',
          '"',
          '{',
          ']',
          '&a ',
          '*features',
          '*nobody',
          '!!binary ',
          '!x ',
          '%',
          '\0',
          '---\n',
          '? ',
          '<<: ',
          '\u2028',
          '- ',
        ),
      )
      .map(([at, what]) => text.slice(0, at) + what + text.slice(at));
    const retyped = fc
      .tuple(
        fc.nat(20),
        fc.constantFrom(
          '.nan',
          '.inf',
          '-1',
          '1e400',
          '0x10',
          '~',
          '"1"',
          '[1]',
          '{a: 1}',
          '2026-01-01',
          '99999999999999999999',
        ),
      )
      .map(([which, value]) => {
        let seen = 0;
        return text.replaceAll(/\b\d[\d.e-]*\b/gu, (number) => (seen++ === which ? value : number));
      });
    fc.assert(
      fc.property(fc.oneof(without, twice, swapped, cut, inserted, retyped), (damaged) => {
        read('a.yaml', damaged);
      }),
      { numRuns: 250 * part },
    );
  });

  test('with any field dropped, renamed or retyped is read, or refused by name', () => {
    let refused = 0;
    fc.assert(
      fc.property(spoilt(parse(text)), (content) => {
        if (read('a.json', content as object) === 'refused') refused += 1;
      }),
      { numRuns: 250 * part, seed: 3 },
    );
    expect(refused).toBeGreaterThan(125 * part);
  });
});

describe('files that are no experiment', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefghij'
      .split('')
      .map(
        (name, i) =>
          `${name}: &${name} [${Array.from({ length: 9 }, () => `*${'abcdefghij'[i]}`).join(',')}]`,
      ),
  ].join('\n');
  test.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['blank', ' \n\n'],
    ['a comment', '# nothing'],
    ['null', '~'],
    ['text', 'hello'],
    ['a list', '- 1\n- 2'],
    ['binary', Uint8Array.from({ length: 400 }, (_, i) => (i * 37) % 256)],
    ['not UTF-8', Uint8Array.of(0x6c, 0x3a, 0x20, 0xff, 0xfe)],
    ['aliases that multiply', bomb],
    ['an alias of itself', 'lethe: &a [*a]'],
    ['two documents', 'lethe: 1\n---\nlethe: 1'],
    ['a key twice', 'lethe: 1\nlethe: 1'],
    ['deep', `lethe: ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
    ['a prototype', '__proto__: { kind: release }\nlethe: 1'],
    ['too long', `# ${'x'.repeat(300_000)}`],
    ['an unknown tag', 'lethe: !!js/function "x"'],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x6c, 0)],
  ])('%s', (_name, content) => {
    for (const name of ['a.yaml', 'a.json', 'a.yml', 'a']) expect(read(name, content)).toBe('refused');
  });

  test('nested deeply where any JSON may stand', () => {
    const deep = (depth: number): string =>
      JSON.stringify(evaluation).replace('"steps":5', `"steps":${'['.repeat(depth)}${']'.repeat(depth)}`);
    for (const depth of [70, 5000, 50_000]) expect(read('a.json', deep(depth))).toBe('refused');
    expect(() => readExperiment(folder.path)).toThrow(InvalidParameter);
    expect(() => readExperiment(folder.file('missing.yaml'))).toThrow(InvalidParameter);
  });
});

test.each<[string, object, string]>([
  [
    'generated data',
    { generate: { rows: 10, columns: 2, features: { law: 'gaussian', scal: 1 } } },
    "problems.0.data.generate.features: there is no key 'scal'; write 'scale', or leave it out",
  ],
  [
    'a table',
    {
      file: 'a.csv',
      design: { features: [{ column: 'a', encoding: 'bins', edges: [1], lower: 0 }], label: { column: 'y' } },
    },
    "problems.0.data.design.features.0: there is no key 'lower'; " +
      'there are column, part, start, encoding, edges',
  ],
  [
    'a table of a package',
    { package: 'a/b.csv', design: { features: [], label: { column: 'y' } } },
    'problems.0.data.design.features: is an empty list; it must be a list with at least 1 entry',
  ],
])('%s that does not fit is refused with the place in it and what is wrong there', (_name, data, message) => {
  const path = folder.write('a.json', { ...evaluation, problems: [{ ...evaluation.problems[0], data }] });
  expect(() => readExperiment(path)).toThrow(message);
});

test('a fact that follows from the declared bounds of an experiment is refused, not taken instead', async () => {
  const [first] = evaluation.problems;
  const problems = [
    {
      ...first,
      loss: { name: 'logistic' },
      facts: { ...first.facts, lipschitz: { value: 9, why: 'a guess' } },
    },
  ];
  const outcome = await lethe(
    'run',
    folder.write('a.json', { ...evaluation, problems }),
    '--out',
    folder.file('out'),
  );
  expect(outcome).toMatchObject({ code: 2, out: '' });
  expect(outcome.error).toContain("the fact 'lipschitz' follows from the declared bounds: it is 2");
  expect(folder.has('out')).toBe(false);
});

test('any bytes are refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom('a.yaml', 'a.json'), (bytes, name) => {
      expect(read(name, bytes)).toBe('refused');
    }),
    { numRuns: 200 * part },
  );
});

const hard = {
  lethe: 1,
  kind: 'evaluation',
  name: 'hard',
  title: 'Hard',
  problems: [
    {
      name: 'coins',
      title: 'Coins',
      data: { hard: { name: 'convex', params: { dimension: 4, radius: 1, moment: 1 } } },
    },
  ],
  optimizers: [
    {
      name: 'noisy-clipped-ac-sa',
      params: {
        rounds: 2,
        mean: {
          name: 'shuffled',
          params: { randomiser: { name: 'shuffled-vector-sum', params: { radius: 1 } } },
        },
      },
      trust: { model: 'shuffle', honestUsers: 600 },
    },
  ],
  budgets: [{ epsilon: 1 }],
  sizes: [600],
  seeds: { count: 1 },
  vary: 'dimension',
  upperBounds: 'always',
  rates: [{ name: 'convex-optimal', params: { order: 2 }, factor: 2 }],
};
const mean = {
  lethe: 1,
  kind: 'mean',
  name: 'mean',
  title: 'Mean',
  laws: [
    { name: 'spike', law: 'two-point', dimension: 3, size: 5, probability: 0.1, orders: [2] },
    { name: 't', law: 'multivariate-t', dimension: 2, degreesOfFreedom: 3, shift: 1 },
  ],
  means: [
    {
      name: 'clipped',
      params: { clip: { name: 'l2' }, mechanism: { name: 'gaussian' } },
      sweep: { 'clip.params.radius': [1, 4] },
    },
    { name: 'shuffled', params: { randomiser: { name: 'shuffled-vector-sum', params: { radius: 2 } } } },
  ],
  batches: [12],
  targets: [{ epsilon: 1, delta: 1e-6 }],
  repetitions: 60,
};

describe.each([
  ['evaluation', { ...evaluation, sizes: [40], seeds: { count: 1 } }],
  ['release', release],
  ['evaluation of hard instances', hard],
  ['experiment on means', mean],
] as const)('an %s with a field spoilt', (kind, good) => {
  test('runs, or ends with exit 1 or 2: nothing on stdout, no folder, no lock, nothing charged', async () => {
    const codes = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(spoilt(good), async (content) => {
        const here = labFolder();
        try {
          const { code, out, error } = await lethe(
            'run',
            here.write('a.json', content as object),
            '--out',
            here.file('out'),
          ).catch((cause: unknown) => {
            throw new Error(`main threw ${cause instanceof LetheError ? 'a typed error' : 'something'}`, {
              cause,
            });
          });
          codes.set(code, (codes.get(code) ?? 0) + 1);
          const files = here.all();
          expect(files.filter((name) => /\.(?:lock|next)$/u.test(name))).toEqual([]);
          if (code === 0) {
            expect(files).toContain('out/report.html');
            return;
          }
          expect([1, 2]).toContain(code);
          expect(out).toBe('');
          expect(error).toMatch(/^lethe run: /mu);
          // Runs that were done before a failure are kept.
          expect(files.filter((name) => /^out\/(?!cells\/)/u.test(name))).toEqual([]);
        } finally {
          here.remove();
        }
      }),
      { numRuns: kind === 'release' || good === hard ? 150 : 100, seed: 12 },
    );
    expect(codes.get(2)).toBeGreaterThan(30);
    expect(codes.get(0)).toBeGreaterThan(3);
  });
});
