import { readdirSync, readFileSync } from 'node:fs';
import { defined } from '@lethe/numerics';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { jsonSchema } from '../src/experiment/json-schema.js';
import { referencesIn } from '../src/experiment/nested-references.js';
import type { Mistake } from '../src/experiment/mistake.js';
import { registry } from '../src/registry.js';
import { evaluation, labFolder, lethe, type LabFolder } from './support/lab-folder.js';

type Json = Parameters<typeof z.fromJSONSchema>[0];
/** What a schema says of the plugins of one kind. */
interface Conditions {
  readonly allOf: readonly {
    readonly if: { readonly properties: { readonly name: { readonly const: string } } };
    readonly then: { readonly properties: { readonly params: Json } };
  }[];
}
interface Properties {
  readonly properties: Readonly<Record<string, { readonly allOf?: unknown } | undefined>>;
}

let folder: LabFolder;
beforeEach(() => {
  folder = labFolder();
});
afterEach(() => {
  folder.remove();
});

const bad = `lethe: 1
kind: evaluation
name: bad
titel: Bad
problems:
  - name: p
    data: { generate: { rows: 100, columns: 3, features: { law: gausian } } }
    loss: { name: squaredd }
    domain: { name: l2-ball, params: { radius: -1 } }
  - name: q
    data: { file: nowhere.csv, design: { features: [{ column: x, encoding: scale, lower: 0, upper: 1 }], label: { column: y } } }
    loss: { name: squared }
    domain: { name: whole-space }
optimizers:
  - name: dp-sgd
    params: { steps: [3, 0], rate: 1, clipNorm: 1, stepsize: 1 }
budgets: [{ epsilon: -1, deltta: 3 }]
seeds: { count: 0 }
`;

describe('lethe check', () => {
  test('lists all mistakes of a file with their places, and what is meant', async () => {
    const path = folder.write('bad.yaml', bad);
    const { code, out, error } = await lethe('check', path);
    expect([code, out]).toEqual([2, '']);
    for (const [place, words] of [
      ['4:1', "there is no key 'titel'; write 'title'"],
      ['7:65', "problems.0.data.generate.features.law: is 'gausian'"],
      ['8:5', "is 'squared' meant?"],
      ['9:48', 'radius: is -1'],
      ['16:15', 'steps: is 0'],
      ['17:22', 'budgets.0.epsilon: is -1'],
      ['17:26', "there is no key 'deltta'; write 'delta'"],
      ['18:17', 'seeds.count: is 0'],
    ] as const)
      expect(error.split('\n').find((line) => line.startsWith(`${path}:${place}: `))).toContain(words);
    const again = await lethe('check', path, '--json');
    const [{ mistakes }] = JSON.parse(again.out) as [{ mistakes: readonly Mistake[] }];
    expect(error).toContain(`${mistakes.length} mistakes`);
    expect(mistakes.map(({ place }) => place?.line)).toEqual(
      mistakes.map(({ place }) => place?.line).toSorted((a = 0, b = 0) => a - b),
    );
    // With a plugin that is not there, also what is wrong with the form of the file.
    const lost = await lethe('check', folder.write('lost.yaml', `${bad}plugins: [./none.js]\n`));
    expect(lost.error).toMatch(
      /none\.js' .*check the path\n[^]*'titel'[^]*'gausian'[^]*'deltta'[^]*seeds\.count/u,
    );
    // Without its kind, or with a wrong one, the same and what is wrong with it: its keys tell what is meant.
    for (const kind of ['#', 'kind: evaluaton']) {
      const unkind = folder.write('unkind.yaml', bad.replace('kind: evaluation', kind));
      const told = (await lethe('check', unkind)).error;
      expect(told).toMatch(/kind: is .*'evaluation'/u);
      expect(told).toContain(`${mistakes.length + 1} mistakes`);
    }
    const empty = await lethe('check', folder.write('empty.yaml', 'lethe: 1\n'));
    expect(empty.error).toContain('kind: is missing');
    expect(empty.error).not.toContain('problems');
  });

  test('finds parts that do not go together, at the parameters that name them', async () => {
    const params = { rounds: 16, clipNorm: 1, stepSize: 1 };
    const write = (bandwidth: number): string =>
      folder.write(
        'band.yaml',
        [
          'lethe: 1\nkind: evaluation\nname: band\nadjacency: zero-out\nproblems:\n',
          '  - name: p\n    data: { generate: { rows: 64, columns: 3, features: { law: gaussian } } }\n',
          '    record: { featureNorm: 1 }\n    loss: { name: logistic }\n',
          '    domain: { name: l2-ball, params: { radius: 1 } }\noptimizers:\n',
          `  - name: dp-ftrl\n    params: ${JSON.stringify({
            ...params,
            prefixSum: { name: 'banded-toeplitz', params: { bandwidth } },
            sampling: { name: 'cyclic-poisson', params: { groups: 4, rate: 0.25 } },
          })}\n`,
          'budgets: [{ epsilon: 1, delta: 1.0e-5 }]\nseeds: { count: 1 }\n',
        ].join(''),
      );
    const path = write(8);
    const { code, error } = await lethe('check', path);
    expect([code, error]).toEqual([
      2,
      expect.stringContaining('take a prefix sum of at most 4 bands') as string,
    ]);
    expect(error).toContain(`${path}:13:`);
    expect((await lethe('check', write(4))).code).toBe(0);
  });

  test.each([
    [
      {
        steps: Array.from({ length: 40 }, (_, i) => i + 1),
        clipNorm: [1, 2],
        stepSize: [...Array(20).keys()],
      },
      1,
    ],
    [{ steps: [1, 2], rate: 1, clipNorm: 1, stepSize: 1 }, 10_000],
  ])('refuses more settings and runs than fit into memory', async (params, count) => {
    const [problem] = evaluation.problems;
    const path = folder.write('many.json', {
      ...evaluation,
      problems: Array.from({ length: 60 }, (_, i) => ({ ...problem, name: `p${i}` })),
      optimizers: [{ name: 'dp-sgd', params }],
      seeds: { count },
    });
    const { code, error } = await lethe('check', path);
    expect([code, error]).toEqual([2, expect.stringMatching(/1600 settings|2400000 runs/u) as string]);
  });

  test('is content with a good file, and misses the records that it names', async () => {
    const [problem] = evaluation.problems;
    const { code, out } = await lethe('check', folder.write('a.json', evaluation));
    expect([code, out]).toEqual([0, expect.stringContaining("evaluation 'tiny', 8 runs") as string]);
    const features = [{ column: 'x', encoding: 'scale', lower: 0, upper: 1 }];
    const data = { file: 'nowhere.csv', design: { features, label: { column: 'y' } } };
    const lost = folder.write('b.json', { ...evaluation, problems: [{ ...problem, data }] });
    expect((await lethe('check', lost)).error).toMatch(
      /b\.json:1:\d+: problems\.0\.data\.file: there is no file/u,
    );
  });

  test('reads schemas of records too', async () => {
    const good =
      'label: { type: above, column: y, threshold: 1 }\ncolumns: { a: { type: number, lower: 0, upper: 1 } }';
    expect((await lethe('check', folder.write('s.yaml', good))).out).toContain('predicts y from 1 column');
    const path = folder.write(
      't.yaml',
      good.replace('upper: 1', 'upper: -1').replace('threshold', 'treshold'),
    );
    const { code, error } = await lethe('check', path);
    expect(code).toBe(2);
    expect(error).toContain(`${path}:1:34: label: there is no key 'treshold'; write 'threshold'`);
    expect(error).toContain(`${path}:2:48: columns.a.upper: must be greater than lower`);
  });
});

describe('values changed on the command line', () => {
  const changed = async (...set: readonly string[]) =>
    lethe('check', folder.write('a.json', evaluation), ...set.flatMap((one) => ['--set', one]));

  test('go over those of the file, by number, name or label', async () => {
    const { code, out } = await changed('seeds.count=5', 'optimizers.dp-sgd.params.steps=7', 'sizes=[60]');
    expect([code, out]).toEqual([0, expect.stringContaining("'tiny', 10 runs") as string]);
    expect((await changed('optimizers.dp-sgd.params.steps=-1')).error).toContain('steps: is -1');
    expect((await changed('seeds.cout=5')).error).toMatch(
      /a\.json: seeds: .*'count'.* \(--set seeds\.cout=5\)\n$/u,
    );
    expect((await changed('sead.count=5')).error).toMatch(
      /a\.json: there is no key 'sead'.* \(--set sead\.count=5\)\n$/u,
    );
    expect((await changed('sizes.7=1')).error).toMatch(/the list has no '7'; it has \d+ items, from 0\n$/u);
    expect((await changed('optimizers.dp-sdg.params.steps=1')).error).toContain("write 'dp-sgd'");
  });

  test('lead to an item by a label with dots, and to none of several of one name', async () => {
    const two = ['DP-SGD 0.5', 'other'].map((label) => ({ ...evaluation.optimizers[0], label }));
    const path = folder.write('two.json', { ...evaluation, optimizers: two });
    const by = (name: string) => lethe('check', path, '--set', `optimizers.${name}.params.steps=-1`);
    // A mistake is said to be in the setting, however the setting names its item.
    expect((await by('DP-SGD 0.5')).error).toMatch(
      /two\.json: optimizers\.0.*steps: is -1.* \(--set optimizers\.DP-SGD 0\.5\./u,
    );
    expect((await by('dp-sgd')).error).toContain(
      "2 items of the list are 'dp-sgd'; write the number of one: 0 (DP-SGD 0.5), 1 (other)",
    );
  });

  test('sizes beyond what a generator makes are a mistake', async () => {
    const { code, error } = await changed('sizes=[1000000]');
    expect([code, error]).toEqual([2, expect.stringContaining('sizes asks for 1000000 records, problem')]);
  });

  test('records are no experiment', async () => {
    const { code, error } = await lethe('check', folder.file('customers.csv'));
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(/customers\.csv: it is a file of records.*--dry-run/u),
    ]);
  });

  test.each(['seeds', '=1', 'a..b=1', '__proto__.x=1', 'name.first=1', 'sizes.7=1'])(
    '%s is refused',
    async (set) => {
      const { code, error } = await changed(set);
      expect([code, error]).toEqual([2, expect.stringContaining('--set') as string]);
    },
  );

  test('are part of the command that makes the results again', async () => {
    const args = ['run', folder.write('a.json', evaluation), '--out', folder.file('out')];
    await lethe(
      ...args,
      '--set',
      'optimizers=[{ name: dp-sgd, params: { steps: 2, rate: 1, clipNorm: 1, stepSize: [0.1, 0.2] } }]',
      '--set',
      'sizes=[60]',
    );
    const [{ command, problems }] = JSON.parse(folder.read('out/results.json')) as [
      { command: string; problems: readonly [{ cells: readonly { label: string }[] }] },
    ];
    expect(command).toContain("--set 'optimizers=[");
    // A list in place of a number is a sweep.
    expect(problems[0].cells.map(({ label }) => label)).toEqual([
      'dp-sgd, stepSize 0.1',
      'dp-sgd, stepSize 0.2',
    ]);
  });
});

describe('the JSON Schema of experiments', () => {
  const shipped = JSON.parse(
    readFileSync(new URL('../experiment.schema.json', import.meta.url), 'utf8'),
  ) as Record<string, unknown>;

  const experiments = new URL('../experiments/', import.meta.url);
  const shippedFiles = readdirSync(experiments).filter((name) => /(?<!schema)\.yaml$/u.test(name));
  const shippedText = (name: string): string => readFileSync(new URL(name, experiments), 'utf8');

  test('is shipped as it is; npm run schema makes it', async () => {
    expect(shipped).toEqual(JSON.parse(JSON.stringify(jsonSchema())));
    expect(JSON.parse((await lethe('check', '--schema')).out)).toEqual(shipped);
  });

  test('is named in every shipped file, takes each of them, and not a bad one', () => {
    // zod reads no conditions; those of parameters are tried below.
    const schema = z.fromJSONSchema(
      JSON.parse(
        JSON.stringify(shipped, (key, value: unknown) => (key === 'allOf' ? undefined : value)),
      ) as Json,
    );
    expect(shippedFiles.length).toBeGreaterThan(30);
    for (const name of shippedFiles) {
      const text = shippedText(name);
      expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=../experiment.schema.json');
      expect(schema.safeParse(parse(text)).error?.issues, name).toBeUndefined();
    }
    expect(schema.safeParse(parse(bad)).success).toBe(false);
    expect(schema.safeParse({ ...evaluation, budgets: [{ epsilon: 0 }] }).success).toBe(false);
  });

  test('types the parameters of every plugin that ships, where an experiment names it', () => {
    const { $defs, oneOf } = shipped as { $defs: Record<string, Conditions>; oneOf: readonly Properties[] };
    expect(oneOf[0].properties['optimizers']?.allOf).toEqual([{ items: { $ref: '#/$defs/optimizer' } }]);
    expect(oneOf[1].properties['optimizer']?.allOf).toEqual([{ $ref: '#/$defs/optimizer' }]);
    const within = (kind: string, name: string): Properties =>
      defined($defs[kind].allOf.find((one) => one.if.properties.name.const === name)).then.properties
        .params as unknown as Properties;
    const paramsOf = (kind: string, name: string): z.ZodType =>
      // References to other plugins are tried one by one.
      z.fromJSONSchema(
        JSON.parse(JSON.stringify(within(kind, name)), (key, value: unknown) =>
          key === '$ref' ? undefined : value,
        ) as Json,
      );
    for (const plugin of registry)
      if (Object.hasOwn($defs, plugin.kind))
        for (const example of plugin.examples ?? [])
          expect(
            paramsOf(plugin.kind, plugin.name).safeParse(JSON.parse(JSON.stringify(example))).error,
            `${plugin.kind} ${plugin.name}`,
          ).toBeUndefined();
    const dpSgd = paramsOf('optimizer', 'dp-sgd');
    expect(dpSgd.safeParse({ steps: [10, 20], stepSize: 0.5 }).success).toBe(true);
    expect(dpSgd.safeParse({ steps: 'many' }).success).toBe(false);
    expect(dpSgd.safeParse({ step: 10 }).success).toBe(false);
    expect(paramsOf('domain', 'l2-ball').safeParse({}).success).toBe(false);
    for (const name of shippedFiles)
      for (const { kind, name: called, params } of referencesIn(parse(shippedText(name))))
        if (registry.some((plugin) => plugin.kind === kind && plugin.name === called))
          expect(paramsOf(kind, called).safeParse(params).error, `${name}: ${called}`).toBeUndefined();
    // Plugins within parameters have the schema of their kind, at any depth.
    const refersTo = (kind: string) => [{ $ref: `#/$defs/${kind}` }];
    expect(within('optimizer', 'dp-sgd').properties['mean']?.allOf).toEqual(refersTo('mean'));
    expect(within('mean', 'clipped').properties['mechanism']?.allOf).toEqual(refersTo('mechanism'));
    expect(within('optimizer', 'dp-ftrl').properties['sampling']?.allOf).toEqual(refersTo('sampler'));
    const references = JSON.stringify(shipped).matchAll(/"#\/\$defs\/(\w+)"/gu);
    expect([...references].filter(([, name]) => !Object.hasOwn($defs, name))).toEqual([]);
  });
});
