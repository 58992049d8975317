import { parseEvent, type Json } from '@lethe/core';
import { describe, expect, test } from 'vitest';
import { lethe } from './support/lab-folder.js';

describe('plan', () => {
  const sizes = ['--n', '1000', '--d', '5', '--epsilon', '1', '--delta', '1e-6'];
  const moments = ['--fact', 'gradientMoment.2=4'];
  const params: Record<string, string> = {
    'dp-sgd': '{"steps":10,"rate":0.1,"clipNorm":1,"stepSize":0.1}',
    'noisy-clipped-ac-sa': '{}',
  };

  test.each(Object.entries(params))(
    '%s: schedule, noise, event and the budget it keeps',
    async (name, given) => {
      const read = name === 'dp-sgd' ? [] : moments;
      const { code, out, error } = await lethe('plan', name, ...sizes, ...read, '--params', given, '--json');
      expect([code, error]).toEqual([0, '']);
      const { plan, accounted, budget } = JSON.parse(out) as {
        plan: { event: Json; noiseMultiplier: number };
        accounted: { upper: number; lower: number };
        budget: Json;
      };
      expect(budget).toEqual({ epsilon: 1, delta: 1e-6 });
      expect(parseEvent(plan.event)).toEqual(plan.event);
      expect(accounted.upper).toBeLessThanOrEqual(1);
      expect(accounted.upper).toBeGreaterThan(0.99);
      const human = await lethe('plan', name, ...sizes, ...read, '--params', given);
      expect(human.code).toBe(0);
      expect(human.out).toMatch(/^noiseMultiplier +\d/mu);
      expect(human.out).toMatch(/^accounted +epsilon in \[/mu);
    },
  );

  test('iterates are as long as the longest point of the domain', async () => {
    const given = ['--label-bound', '1', '--params', params['dp-sgd'], '--json'];
    const { out } = await lethe('plan', 'dp-sgd', ...sizes, ...given);
    const { facts } = (JSON.parse(out) as { problem: { facts: Record<string, { value: number }> } }).problem;
    // |⟨w, x⟩ − y| ≤ 1 + 1 in the unit ball, whose diameter is 2.
    expect(facts['lipschitz'].value).toBeCloseTo(2, 9);
    expect(facts['diameter'].value).toBeCloseTo(2, 9);
  });

  test('--sparsity is a fact of every record', async () => {
    const given = ['--loss', '{"name":"logistic"}', '--domain', '{"name":"whole-space"}', '--delta', '0'];
    const sparse = ['plan', 'output-perturbation', '--n', '1000', '--d', '50', '--epsilon', '1', ...given];
    const fact = ['--fact', 'startDistance=1'];
    expect(await lethe(...sparse, ...fact)).toMatchObject({ code: 2 });
    const { code, out } = await lethe(...sparse, ...fact, '--sparsity', '3', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ plan: { sparsity: 3, norm: 1 } });
  });

  test.each([
    [['--n', '0']],
    [['--n', '1.5']],
    [['--n', 'many']],
    [['--n', '1e400']],
    [['--d', '-1']],
    [['--epsilon', '0']],
    [['--epsilon', 'NaN']],
    [['--epsilon', 'Infinity']],
    [['--delta', '1']],
    [['--delta', '-1']],
    [['--delta', '']],
    [['--adjacency', 'replace']],
    [['--loss', '{']],
    [['--loss', '{"name":"nobody"}']],
    [['--domain', '[]']],
    [['--domain', '{"name":"l2-ball","params":{"radius":-1}}']],
    [['--feature-norm', '-1']],
    [['--sparsity', '1.5']],
    [['--fact', 'x']],
    [['--fact', 'x=']],
    [['--fact', '=1']],
    [['--params', '{"steps":1e9,"rate":2}']],
    [['--params', 'null']],
    [['--params', `${'['.repeat(200_000)}${']'.repeat(200_000)}`]],
    [['--params', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`]],
  ])('refuses %.60j with exit 2', async (change) => {
    const { code, out, error } = await lethe(
      'plan',
      'dp-sgd',
      ...sizes,
      '--params',
      params['dp-sgd'],
      ...change,
    );
    expect([code, out]).toEqual([2, '']);
    expect(error.length).toBeGreaterThan(20);
    expect(error.length).toBeLessThan(2000);
  });

  test('finds the number of steps, or the rate, that the budget allows for given noise', async () => {
    const fixed = '{"steps":10,"rate":0.1,"clipNorm":1,"stepSize":0.1,"noiseMultiplier":3}';
    for (const [path, name] of [
      ['/steps', 'steps'],
      ['rate', 'rate'],
    ] as const) {
      const { code, out, error } = await lethe(
        'plan',
        'dp-sgd',
        ...sizes,
        '--params',
        fixed,
        '--free',
        path,
        '--json',
      );
      expect([code, error]).toEqual([0, '']);
      const found = JSON.parse(out) as {
        params: Record<string, number>;
        plan: { readonly steps: number; readonly sampler: { readonly params: { readonly rate: number } } };
        accounted: { upper: number };
      };
      const { steps, sampler } = found.plan;
      const value = name === 'steps' ? steps : sampler.params.rate;
      expect(found.params).toEqual({ ...(JSON.parse(fixed) as object), [name]: value });
      expect(found.accounted.upper).toBeLessThanOrEqual(1);
      expect(found.accounted.upper).toBeGreaterThan(0.97);
    }
    expect((await lethe('plan', 'dp-sgd', ...sizes, '--params', fixed, '--free', '/steps')).out).toMatch(
      /^params +\{"steps":\d+/mu,
    );
    const both = await lethe('plan', 'dp-sgd', ...sizes, '--params', params['dp-sgd'], '--free', '/steps');
    expect(both.code).toBe(2);
    expect(both.error).toContain('noiseMultiplier');
  });

  test('dp-skgd: both calibrations side by side, from bounds on columns and a public ridge', async () => {
    const asked = [
      '--n',
      '400',
      '--d',
      '20',
      '--epsilon',
      '1',
      '--delta',
      '1e-6',
      '--loss',
      '{"name":"linear"}',
      '--domain',
      '{"name":"whole-space"}',
      '--feature-bounds',
      '2',
      '--regulariser',
      '{"name":"l2-squared","params":{"strength":3}}',
      '--fact',
      'startDistance=1',
      '--params',
      '{"innerSteps":10}',
    ];
    const { code, out, error } = await lethe('plan', 'dp-skgd', ...asked);
    expect([code, error]).toEqual([0, '']);
    const multiplier = (of: string): number =>
      Number(
        new RegExp(`^noise\\.${of} +noiseMultiplier ([\\d.]+), gaussianMu [\\d.]+, stepNoise `, 'mu').exec(
          out,
        )?.[1],
      );
    expect(multiplier('exact')).toBeGreaterThan(1);
    expect(multiplier('theorem')).toBeGreaterThan(multiplier('exact'));
    expect(out).toMatch(/^smoothness +\[(?:3,){15}3, … 20 in all\]$/mu);
    const { plan, problem } = JSON.parse((await lethe('plan', 'dp-skgd', ...asked, '--json')).out) as {
      plan: { noise: Record<'exact' | 'theorem', { noiseMultiplier: number }>; smoothness: number[] };
      problem: { facts: Record<string, { value: number; each?: number[] }>; regulariser: object };
    };
    expect(plan.smoothness).toHaveLength(20);
    for (const of of ['exact', 'theorem'] as const)
      expect(multiplier(of) / plan.noise[of].noiseMultiplier).toBeCloseTo(1, 5);
    expect(problem.facts['coordinateLipschitz'].each?.[19]).toBeCloseTo(2, 12);
    expect(problem.facts['lipschitz'].value).toBeCloseTo(2 * Math.sqrt(20), 10);
    for (const wrong of [
      ['--feature-bounds', '[1]'],
      ['--feature-bounds', '-1'],
      ['--regulariser', '{"name":"nobody"}'],
      ['--regulariser', '{"name":"l2-squared","params":{"strength":[1]}}'],
    ])
      expect(await lethe('plan', 'dp-skgd', ...asked, ...wrong)).toMatchObject({ code: 2, out: '' });
  });

  test('skgd: what has no privacy costs "Infinity"', async () => {
    const { code, out } = await lethe(
      'plan',
      'skgd',
      '--n',
      '10',
      '--d',
      '2',
      '--epsilon',
      '1',
      '--loss',
      '{"name":"logistic"}',
      '--feature-bounds',
      '1',
      '--domain',
      '{"name":"whole-space"}',
      '--params',
      '{"steps":10}',
      '--json',
    );
    expect(code).toBe(0);
    expect((JSON.parse(out) as { accounted: object }).accounted).toMatchObject({
      lower: 'Infinity',
      upper: 'Infinity',
    });
  });

  test('takes a million features', async () => {
    expect(
      (await lethe('plan', 'dp-sgd', ...sizes, '--params', params['dp-sgd'], '--d', '1000000', '--json'))
        .code,
    ).toBe(0);
  });

  const skgd = ['plan', 'dp-skgd', '--n', '1000', '--d', '3', '--epsilon', '1'];
  const logistic = ['--loss', '{"name":"logistic"}'];

  test('says when the given noise does not keep the budget', async () => {
    const within = async (noiseMultiplier: number): Promise<[string, boolean]> => {
      const args = [...skgd, ...logistic, '--params', JSON.stringify({ innerSteps: 10, noiseMultiplier })];
      const { withinBudget } = JSON.parse((await lethe(...args, '--json')).out) as { withinBudget: boolean };
      const { code, out } = await lethe(...args);
      expect(code).toBe(0);
      return [/^over the budget: .*$/mu.exec(out)?.[0] ?? '', withinBudget];
    };
    expect(await within(100)).toEqual(['', true]);
    expect(await within(2)).toEqual([
      expect.stringMatching(
        /it costs up to epsilon \d+\.\d+ at delta 1e-6, the budget is 1; give more noise/u,
      ),
      false,
    ]);
    expect(
      (
        await lethe(
          'plan',
          'skgd',
          '--n',
          '10',
          '--d',
          '2',
          '--epsilon',
          '1',
          ...logistic,
          '--params',
          '{"steps":10}',
        )
      ).out,
    ).toContain('over the budget:   no finite epsilon');
  });

  test('says why there is no bound, and is short', async () => {
    const { out } = await lethe(...skgd, ...logistic, '--params', '{"innerSteps":10}');
    const { plan } = JSON.parse(
      (await lethe(...skgd, ...logistic, '--params', '{"innerSteps":10}', '--json')).out,
    ) as { plan: { uncovered: string } };
    expect(plan.uncovered.length).toBeGreaterThan(5);
    expect(out).toContain(`\nutility            none: ${plan.uncovered}\n`);
    expect(out).toMatch(/^sketch +full$/mu);
    expect(out).not.toMatch(/^uncovered/mu);
    expect(out).not.toMatch(/\d\.\d{8}/u);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(260);
    const planned = await lethe(
      ...skgd,
      ...logistic,
      '--domain',
      '{"name":"whole-space"}',
      '--fact',
      'startDistance=1',
    );
    expect(planned.out).toMatch(/^schedule .*\bsteps before rounding \d/mu);
    expect(planned.out).toMatch(/^utility +0?\.\d+ \(\S/mu);
  });

  test('a missing Lipschitz constant comes with what helps on the command line', async () => {
    const { code, error } = await lethe(...skgd);
    expect(code).toBe(2);
    for (const way of [
      '--label-bound 1',
      '--loss \'{"name":"logistic"}\'',
      '--params \'{"clip":{"radius":1}}\'',
    ])
      expect(error).toContain(way);
    for (const way of [['--label-bound', '1'], logistic, ['--params', '{"clip":{"radius":1}}']])
      expect(await lethe(...skgd, ...way)).toMatchObject({ code: 0, error: '' });
    expect(await lethe(...skgd, '--label-bound', '-1')).toMatchObject({ code: 2, out: '' });
  });

  test('a parameter that is not there is refused with those that are', async () => {
    expect((await lethe(...skgd, ...logistic, '--params', '{"steps":10}')).error).toMatch(
      /there is no key 'steps'; there are sketch, .*innerSteps.*noiseMultiplier/u,
    );
    expect((await lethe('plan', '--help')).out).toContain('lethe plugins --kind optimizer --json');
  });

  test.each([
    [
      'lipschitz=5',
      /'lipschitz' follows from the declared bounds: it is 1\.?\d*; leave it out, or change the bounds/u,
    ],
    ['coordinateLipschitz.2=5', /follows from the declared bounds/u],
    ['smoothness=1', /follows from the declared bounds/u],
    ['diameter=7', /'diameter' follows from the domain: it is 2; .*change the domain/u],
    [
      'startDistance.7=1',
      /'startDistance\.7' is of a coordinate that is not there; the coordinates are 0 to 2/u,
    ],
    ['startDistance.x=1', /not there/u],
    ['coordinateSmoothness.3=1', /not there/u],
  ])('the fact %s is refused', async (fact, message) => {
    const { code, out, error } = await lethe(
      ...skgd,
      ...logistic,
      '--feature-bounds',
      '1',
      '--feature-norm',
      '1',
      '--fact',
      fact,
    );
    expect([code, out]).toEqual([2, '']);
    expect(error).toMatch(message);
  });
});
