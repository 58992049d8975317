import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { evaluation, labFolder, lethe, release, type LabFolder } from './support/lab-folder.js';

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const small = { ...evaluation, sizes: [40], seeds: { count: 1 } };
const good = small.optimizers[0];
const hard = (params: object): object => ({
  ...small,
  sizes: [600],
  problems: [
    {
      name: 'coins',
      title: 'Coins',
      data: { hard: { name: 'convex', params: { dimension: 4, radius: 1, moment: 1, ...params } } },
    },
  ],
});
/** Messages without lines and columns, which JSON in one line does not tell much of. */
const withoutPlaces = (error: string): string => error.replaceAll(/:\d+:\d+: /gu, ': ');
const bad = async (content: object): Promise<string> => {
  const { code, out, error } = await lethe(
    'run',
    folder.write('a.json', content),
    '--out',
    folder.file('out'),
  );
  expect([code, out]).toEqual([2, '']);
  expect(folder.all()).toEqual(['a.json']);
  // Said before anything has begun.
  expect(error).not.toMatch(/reading the records|planning|describing/u);
  return withoutPlaces(error);
};

describe('a mistake is found before the first run', () => {
  test.each<[string, object, string]>([
    [
      'in a method that does not take the adjacency',
      { ...small, adjacency: 'add-remove', optimizers: [good, { name: 'phased-erm', params: {} }] },
      "optimizers.1: optimizer 'phased-erm' does not support add-remove; it supports",
    ],
    [
      'in a method that does not take the loss',
      {
        ...small,
        problems: small.problems.map((one) => ({ ...one, loss: { name: 'absolute' } })),
        optimizers: [good, { name: 'phased-erm', params: {} }],
      },
      "optimizers.1: optimizer 'phased-erm' needs a loss that is smooth; 'absolute' does not declare it",
    ],
    [
      'in a plugin inside an optimizer',
      {
        ...small,
        optimizers: [
          good,
          { name: 'dp-skgd', params: { sketch: { name: 'block', params: { blocks: 'constructor' } } } },
        ],
      },
      "optimizers.1.params.sketch: sketch 'block' is not valid: blocks",
    ],
    [
      'in the name of a plugin inside an optimizer',
      { ...small, optimizers: [good, { name: 'dp-skgd', params: { sketch: { name: 'blocks' } } }] },
      "optimizers.1.params.sketch: no sketch named 'blocks'",
    ],
    [
      'in the name of a private mean',
      { ...small, optimizers: [good, { name: 'noisy-clipped-ac-sa', params: { mean: { name: 'nobody' } } }] },
      "optimizers.1.params.mean: no mean named 'nobody'",
    ],
    [
      'in a parameter of a hard instance',
      hard({ dimension: -1e308 }),
      "problems.0.data.hard: lower bound 'convex' is not valid: dimension: ",
    ],
    [
      'in the name of a parameter of a hard instance',
      hard({ dimensions: 4 }),
      'dimensions: there is no such parameter; there are ',
    ],
    [
      'in a parameter of a lower bound',
      { ...small, lowerBound: { name: 'convex', params: { moment: 'much' } } },
      "lowerBound: lower bound 'convex' is not valid: moment: ",
    ],
    [
      'in a domain inside a domain',
      {
        ...small,
        problems: [
          {
            ...small.problems[0],
            domain: {
              name: 'intersection',
              params: {
                domains: [
                  { name: 'l2-ball', params: { radius: 1 } },
                  { kind: 'domain', name: 'l2-ball', params: { radius: -1 } },
                ],
              },
            },
          },
        ],
      },
      "problems.0.domain.params.domains.1: domain 'l2-ball' is not valid: radius",
    ],
  ])('%s', async (_name, content, message) => {
    expect(await bad(content)).toContain(message);
  });

  test.each([
    ['lipshitz', 'lipschitz'],
    ['gradientMomnet.4', 'gradientMoment.4'],
    ['startDistnace', 'startDistance'],
  ])('in the name of a fact: %s', async (name, meant) => {
    const content = {
      ...small,
      problems: [{ ...small.problems[0], facts: { [name]: { value: 1, why: 'x' } } }],
    };
    expect(await bad(content)).toContain(
      `problems.0.facts: nothing reads a fact '${name}': write ${meant}, or leave it out`,
    );
    const plan = [
      'plan',
      'dp-sgd',
      '--n',
      '100',
      '--d',
      '2',
      '--epsilon',
      '1',
      '--params',
      JSON.stringify(good.params),
      '--fact',
    ];
    expect(await lethe(...plan, `${name}=1`)).toMatchObject({
      code: 2,
      error: expect.stringContaining(`write ${meant}`) as string,
    });
    expect((await lethe(...plan, 'ofAPluginOfMine=1')).code).toBe(0);
  });

  test('and all of a file are told at once', async () => {
    const error = await bad({
      ...small,
      lowerBound: { name: 'nobody' },
      problems: [
        {
          ...small.problems[0],
          loss: { name: 'squarred' },
          domain: { name: 'l2-ball', params: { radius: -1 } },
        },
      ],
      optimizers: [
        { ...good, params: { ...good.params, steps: -1 } },
        { name: 'dp-skgd', params: { sketch: { name: 'block', params: { blocks: 0 } } } },
      ],
    });
    for (const where of [
      'problems.0.loss: ',
      'problems.0.domain: ',
      'optimizers.0: ',
      'optimizers.1.params.sketch: ',
      'lowerBound: ',
    ])
      expect(error).toContain(`a.json: ${where}`);
  });
});

describe('mistakes of the form do not hide others', () => {
  test('of the same file, nor of another', async () => {
    const [problem, optimizer] = [small.problems[0], small.optimizers[0]];
    const first = folder.write('first.json', {
      ...small,
      title: '',
      seeds: { count: 0 },
      problems: [
        { ...problem, loss: { name: 'squarred' } },
        { ...problem, name: 'No name' },
      ],
      optimizers: [
        { ...optimizer, params: { ...optimizer.params, steps: -1 } },
        { ...optimizer, label: '' },
      ],
    });
    const second = folder.write('second.json', {
      ...small,
      problems: [{ ...problem, domain: { name: 'l2-bal' } }],
    });
    const third = folder.write('third.yaml', '{');
    const { code, out, error } = await lethe('run', first, second, third, '--out', folder.file('out'));
    expect([code, out]).toEqual([2, '']);
    for (const line of [
      `${first}: title: is ''; it must be a text with at least 1 character`,
      `${first}: seeds.count: is 0; it must be above 0`,
      `${first}: problems.1.name: use lower-case letters`,
      `${first}: optimizers.1.label: is ''; it must be a text with at least 1 character`,
      `${first}: problems.0.loss: no loss named 'squarred'`,
      `${first}: optimizers.0: optimizer 'dp-sgd' is not valid: steps: is -1; it must be above 0`,
      `${second}: problems.0.domain: no domain named 'l2-bal'`,
      `${third}: is not well-formed`,
    ])
      expect(withoutPlaces(error)).toContain(line);
    expect(error).not.toMatch(/Invalid input|Unrecognized|Too small|expected|received/u);
  });
});

describe('a budget that protects nobody', () => {
  const of = (change: object): object => ({ ...release, ...change });
  test.each<[string, object, RegExp]>([
    [
      'an epsilon that no odds exceed',
      { budget: { epsilon: 1e300 } },
      /budget: epsilon 1e\+300 is above 50, and protects nobody/u,
    ],
    ['an epsilon just above', { budget: { epsilon: 50.1 } }, /above 50/u],
    ['a limit', { limit: { epsilon: 51 } }, /limit: epsilon 51 is above 50/u],
    [
      'a delta under add-remove',
      { adjacency: 'add-remove', size: 100, budget: { epsilon: 1, delta: 0.01 } },
      /delta 0\.01 is at least 1\/100: publishing one of the 100 records whole would keep it/u,
    ],
    ['a delta', { budget: { epsilon: 1, delta: 0.5 } }, /delta 0\.5 is at least 1\/120/u],
  ])('is refused in a release: %s', async (_name, change, message) => {
    const { code, out, error } = await lethe(
      'run',
      folder.write('a.json', of(change)),
      '--out',
      folder.file('out'),
    );
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
    expect(error).toContain('weakPrivacy: true');
    expect(folder.all()).toEqual(['a.json']);
  });

  test('is released all the same where the file says so, and a weak one is warned of', async () => {
    const said = await lethe(
      'run',
      folder.write('a.json', of({ budget: { epsilon: 60, delta: 1e-5 }, weakPrivacy: true })),
      '--out',
      folder.file('out'),
    );
    expect([said.code, said.error]).toEqual([0, expect.stringContaining('warning: epsilon 60 is above 50')]);
    const weak = await lethe(
      'run',
      folder.write('a.json', of({ budget: { epsilon: 12, delta: 1e-5 } })),
      '--out',
      folder.file('weak'),
    );
    expect([weak.code, weak.error]).toEqual([0, expect.stringContaining('warning: epsilon 12 is above 10')]);
    const usual = await lethe(
      'run',
      folder.write('a.json', of({ budget: { epsilon: 10, delta: 1e-5 } })),
      '--out',
      folder.file('usual'),
    );
    expect([usual.code, usual.error]).toEqual([0, expect.not.stringContaining('warning')]);
  });

  test('is warned of in an evaluation and in a plan', async () => {
    const { code, error } = await lethe(
      'run',
      folder.write('a.json', {
        ...small,
        budgets: [
          { epsilon: 1, delta: 0.01 },
          { epsilon: 30, delta: 0.1 },
        ],
      }),
      '--out',
      folder.file('out'),
    );
    expect(code).toBe(0);
    expect(error).toContain('a.json: warning: delta 0.01 is above 1/(10 n) at n = 40');
    expect(error).toContain('a.json: warning: delta 0.1 is at least 1/40');
    expect(
      await lethe(
        'plan',
        'dp-sgd',
        '--n',
        '100',
        '--d',
        '2',
        '--epsilon',
        '60',
        '--params',
        JSON.stringify(good.params),
      ),
    ).toMatchObject({ code: 0, error: expect.stringContaining('warning: epsilon 60') as string });
  });
});
