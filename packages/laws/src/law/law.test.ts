import { Corrupt, defineClip, InvalidParameter, Unsupported, type Clip, type Registry } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { bet } from '../evidence/bet.js';
import { accountFor } from './account.js';
import { describeLaws, describePluginLaws, type Runner } from './describe.js';
import { fails, holds } from './finding.js';
import { defineLaw, type Law } from './law.js';
import { lawSets, lawsFor } from './laws-for.js';
import { subjectsOf } from './make-subject.js';
import { failureText, shown } from './report.js';
import { falseAlarmProbability, planChecks, runLaws } from './run.js';
import type { Subject, SubjectKind } from './subject.js';

const clip = defineClip({
  name: 'example',
  summary: 'Does nothing.',
  source: { id: 'test', item: 'none' },
  params: z.strictObject({ radius: z.number().positive() }),
  examples: [{ radius: 1 }, { radius: 2 }],
  claims: [
    { property: 'first', statement: 'a claim with a law' },
    { property: 'second', statement: 'a claim without' },
  ],
  norm: 'l2',
  isProjection: false,
  radius: ({ radius }) => radius,
  factor: null,
  clipInPlace: () => undefined,
  biasBound: () => 0,
  varianceBound: () => 0,
});
const clips = (name: string, check: Law<'clip'>['check'], more: Partial<Law<'clip'>> = {}): Law<'clip'> =>
  defineLaw<'clip'>({
    id: `clip/${name}`,
    kind: 'clip',
    tier: 'exact',
    statement: `it is ${name}`,
    power: 'any',
    check,
    ...more,
  });
const [subject] = subjectsOf(clip, { params: { radius: 3 } }) as readonly [Subject<'clip'>];

describe('a subject', () => {
  it('is a plugin at each of its examples, or at the parameters of a reference', () => {
    expect(subjectsOf(clip).map(({ name, params }) => ({ name, params }))).toEqual([
      { name: 'example #1', params: { radius: 1 } },
      { name: 'example #2', params: { radius: 2 } },
    ]);
    expect(subjectsOf(clip({ radius: 5 }))[0]).toMatchObject({
      plugin: clip,
      params: { radius: 5 },
      name: 'example',
      kind: 'clip',
    });
    expect(subjectsOf(structuredClone(clip({ radius: 5 })), { registry: [clip] })[0]).toMatchObject({
      plugin: clip,
      params: { radius: 5 },
    });
  });
  it('needs code and parameters', () => {
    expect(() => subjectsOf(structuredClone(clip({ radius: 5 })))).toThrow(/plain data/u);
    expect(() => subjectsOf(clip, { params: { radius: -1 } })).toThrow(/radius/u);
    const bare = defineClip({ ...(clip as Clip<typeof clip.params>), examples: [] as never, name: 'bare' });
    expect(subjectsOf(bare)).toEqual([]);
    const { examples: _, ...none } = { ...(clip as Clip<typeof clip.params>) };
    expect(() => subjectsOf(defineClip(none))).toThrow(/no examples/u);
  });
  it('is in its own registry, and replaces another plugin of the same name', () => {
    const impostor = defineClip({ ...(clip as Clip<typeof clip.params>), summary: 'Another.' });
    const registry: Registry = [impostor];
    expect(subjectsOf(clip({ radius: 1 }), { registry })[0].registry).toEqual([clip]);
  });
});

describe('a run', () => {
  it('spends on a law its own effort, else that of the run, and a quarter of it at other parameters', async () => {
    const spent: number[] = [];
    const draws = (name: string, elsewhere: number): Law<'clip'> =>
      clips(
        name,
        (_, env) => {
          spent.push(env.samples(1000));
          return holds(1);
        },
        { elsewhere },
      );
    const options = { effort: 0.1, efforts: { 'clip/named': 0.5 } } as const;
    await runLaws([draws('named', 1), draws('other', 1)], subject, options);
    expect(spent).toEqual([500, 125, 100, 25]);
  });
  it('tries laws that do not sample at other parameters too, unless these are refused', async () => {
    const small = clips('small', ({ params }) => {
      const { radius } = params as { readonly radius: number };
      return radius > 10 ? fails(1, { what: `the radius is ${radius}` }) : holds(1);
    });
    const verdicts = async (law: Law<'clip'>): Promise<readonly unknown[]> =>
      (await runLaws([law], subject)).map(({ finding }) => finding);
    expect(await verdicts(small)).toMatchObject([
      {
        verdict: 'fails',
        violation: { what: expect.stringMatching(/^with parameters \{"radius":24\}: /u) as string },
      },
    ]);
    expect(await verdicts({ ...small, elsewhere: 0 })).toMatchObject([{ verdict: 'holds', samples: 1 }]);
    expect(await verdicts({ ...small, tier: 'statistical' })).toMatchObject([{ verdict: 'holds' }]);
    const refusing = clips('refused', ({ params }) => {
      const { radius } = params as { readonly radius: number };
      if (radius > 10) throw new InvalidParameter('too large', { radius });
      return holds(1);
    });
    expect(await verdicts(refusing)).toMatchObject([{ verdict: 'holds' }]);
    const failing = (error: Error, throws: boolean): Law<'clip'> =>
      clips('failing', ({ params }) => {
        if ((params as { readonly radius: number }).radius <= 10) return holds(1);
        if (throws) throw error;
        return fails(1, { what: 'the wrong type of error', cause: error });
      });
    expect(await verdicts(failing(new Corrupt('changed'), true))).toMatchObject([{ verdict: 'fails' }]);
    expect(await verdicts(failing(new Unsupported('refused'), false))).toMatchObject([{ verdict: 'fails' }]);
  });

  it('finds and shrinks a counterexample that can be replayed', async () => {
    const [report] = await runLaws(
      [
        clips('small', (_, env) =>
          env.forAll(fc.integer({ min: 0, max: 1000 }), (n) =>
            n <= 70 ? undefined : { what: `${n} is too large`, measured: n, allowed: 70 },
          ),
        ),
      ],
      subject,
    );
    expect(report.finding).toMatchObject({
      verdict: 'fails',
      violation: { input: 71, measured: 71, what: '71 is too large' },
    });
    if (report.finding.verdict !== 'fails') return;
    const { seed, path } = defined(report.finding.violation.fastCheck);
    const replayed = fc.check(
      fc.property(fc.integer({ min: 0, max: 1000 }), (n) => n <= 70),
      { seed, path, endOnFailure: true },
    );
    expect(replayed.counterexample).toEqual([71]);
    expect(failureText(report, 'run it again')).toMatch(
      /clip\/small is broken by example[\s\S]*measured +71, allowed 70[\s\S]*input +71[\s\S]*replay +run it again/u,
    );
  });
  it('is deterministic, with different randomness for another seed, law, cell or subject', async () => {
    const seen = async (name: string, seed: string, cell: string, of = subject): Promise<number> => {
      let drawn = 0;
      await runLaws(
        [
          clips(
            name,
            (_, env) => {
              drawn = env.random('x').bits32();
              return holds(1);
            },
            { cells: () => [{ name: cell }] },
          ),
        ],
        of,
        { seed },
      );
      return drawn;
    };
    const base = await seen('a', 's', 'c');
    expect(await seen('a', 's', 'c')).toBe(base);
    const other = subjectsOf(clip)[0] as Subject<'clip'>;
    expect(
      new Set([
        base,
        await seen('b', 's', 'c'),
        await seen('a', 't', 'c'),
        await seen('a', 's', 'd'),
        await seen('a', 's', 'c', other),
      ]).size,
    ).toBe(5);
  });
  it('counts an error as a violation, in a search and outside', async () => {
    const bang = (): never => {
      throw new RangeError('bang');
    };
    for (const check of [
      bang,
      (_: unknown, env: Parameters<Law['check']>[1]) => env.forAll(fc.boolean(), bang),
    ]) {
      expect((await runLaws([clips('calm', check)], subject))[0].finding).toMatchObject({
        verdict: 'fails',
        violation: {
          what: expect.stringMatching(/^it throws RangeError: bang, at law\.test\.ts:\d+:\d+$/u) as string,
        },
      });
    }
  });
  it('counts an error of exempt or cells as a violation of that law, and continues', async () => {
    const bang = (): never => {
      throw new RangeError('bang');
    };
    for (const more of [{ exempt: bang }, { cells: bang }]) {
      const laws = [clips('asked', () => holds(1), more), clips('other', () => holds(1))];
      expect(
        (await runLaws(laws, subject)).map(({ law, cell, finding }) => [law, cell, finding.verdict]),
      ).toEqual([
        ['clip/asked', '', 'fails'],
        ['clip/other', '', 'holds'],
      ]);
      expect((await runLaws(laws, subject))[0].finding).toMatchObject({
        violation: {
          what: expect.stringMatching(/^it throws RangeError: bang, at law\.test\.ts:\d+:\d+$/u) as string,
        },
      });
      expect(accountFor(laws, subject)).toEqual({
        untested: ['first', 'second'],
        unclaimed: ['clip/asked', 'clip/other'],
        exempt: [],
      });
      expect(
        (await runLaws(laws, subject, { skip: [{ law: 'clip/asked', because: 'known' }] }))[0].finding,
      ).toMatchObject({ verdict: 'skipped' });
    }
  });
  it('reports a verdict that does not repeat as flaky', async () => {
    let calls = 0;
    const [report] = await runLaws(
      [clips('steady', () => (calls++ === 0 ? fails(1, { what: 'once' }) : holds(1)))],
      subject,
    );
    expect(report.finding).toMatchObject({
      verdict: 'fails',
      violation: { what: expect.stringContaining('FLAKY') as string },
    });
  });
  it('repeats a failure without the caches that laws share', async () => {
    const known = new WeakMap<object, boolean>();
    let runs = 0;
    const sharing = clips('sharing', (of) => {
      const isWrong = known.get(of) ?? runs++ === 0;
      known.set(of, isWrong);
      return isWrong ? fails(1, { what: 'seen in the first run' }) : holds(1);
    });
    const [report] = await runLaws([sharing], subject);
    expect(report.finding).toMatchObject({ violation: { what: expect.stringMatching(/^FLAKY/u) as string } });
  });
  it('runs cheap tiers first, nightly ones only on request, and skips only with a reason', () => {
    const laws = (['nightly', 'statistical', 'search', 'exact'] as const).map((tier) =>
      clips(tier, () => holds(1), { tier }),
    );
    expect(planChecks(laws, subject).map(({ law }) => law.tier)).toEqual(['exact', 'search', 'statistical']);
    expect(planChecks(laws, subject, { tiers: ['nightly'] })).toHaveLength(1);
    expect(planChecks(laws, subject, { skip: [{ law: 'clip/exact', because: 'known' }] })[0]).toMatchObject({
      skipped: 'left out: known',
    });
    expect(() => planChecks(laws, subject, { skip: [{ law: 'clip/exact', because: ' ' }] })).toThrow(
      /without a reason/u,
    );
    expect(() => planChecks(laws, subject, { only: ['clip/other'] })).toThrow(/no law 'clip\/other'/u);
    expect(planChecks(laws, subject, { only: ['sampler/other'] })).toEqual([]);
  });
  it('adds up the false-alarm probabilities', async () => {
    const sampled = clips('sampled', () => holds(1), {
      tier: 'statistical',
      cells: () => [{ name: 'a' }, { name: 'b' }],
    });
    expect(
      falseAlarmProbability(
        await runLaws([sampled, clips('certain', () => holds(1))], subject, { alpha: 1e-9 }),
      ),
    ).toBe(2e-9);
  });
});

describe('a sampling law that holds', () => {
  const drawing = (draws: number): Law<'clip'> =>
    clips(
      'drawn',
      (_subject, env) => {
        const process = bet({ largestLoss: 1 });
        for (let i = 0; i < draws; i++) process.push(-0.5);
        process.rejects(env.alpha);
        return holds(draws);
      },
      { tier: 'statistical' },
    );
  const blindOf = async (law: Law<'clip'>): Promise<unknown> => {
    const [report] = await runLaws([law], subject);
    return report?.finding.verdict === 'holds' ? report.finding.blind : report?.finding;
  };

  it('says so where its draws could not have rejected, whatever they were', async () => {
    expect(await blindOf(drawing(30))).toMatchObject({ asked: 1 });
    expect(await blindOf(drawing(60))).toBeUndefined();
    expect(await blindOf(clips('idle', () => holds(5), { tier: 'statistical' }))).toMatchObject({ asked: 0 });
    expect(await blindOf(clips('exact', () => holds(5)))).toBeUndefined();
  });
});

describe('claims and laws', () => {
  const laws = [
    clips('one', () => holds(1), { property: 'first' }),
    clips('extra', () => holds(1)),
    clips('asked', () => holds(1), { onClaim: true }),
    clips('idle', () => holds(1), { exempt: () => 'not its business' }),
  ];
  it('are compared with each other', () => {
    expect(accountFor(laws, subject)).toEqual({
      untested: ['second'],
      unclaimed: ['clip/extra'],
      exempt: [{ law: 'clip/idle', why: 'not its business' }],
    });
    expect(planChecks(laws, subject).map(({ law }) => law.id)).not.toContain('clip/asked');
  });
});

describe('a suite', () => {
  interface Recorded extends Runner {
    readonly tests: Map<string, () => void | Promise<void>>;
    readonly suites: string[];
    readonly notes: string[];
  }
  const record = (): Recorded => {
    const tests = new Map<string, () => void | Promise<void>>();
    const suites: string[] = [];
    const notes: string[] = [];
    return {
      tests,
      suites,
      notes,
      describe: (name, body) => {
        suites.push(name);
        body();
      },
      it: (name, body) => tests.set(name, body),
      note: (text) => notes.push(text),
    };
  };
  it('has one test for each law and cell, and names claims without a law', async () => {
    const runner = record();
    describeLaws(runner, subject, {
      only: ['clip/mine'],
      laws: [clips('mine', () => fails(3, { what: 'broken on purpose' }))] as unknown as readonly Law[],
    });
    expect(runner.suites).toEqual([
      expect.stringMatching(/^laws of clip example; claims without a law: .*second/u),
    ]);
    expect([...runner.tests.keys()]).toEqual(['clip/mine › example']);
    expect(runner.notes).toEqual([expect.stringContaining('1 checks, 0 not checked')]);
    await expect(defined(runner.tests.get('clip/mine › example'))()).rejects.toThrow(
      /broken on purpose[\s\S]*npx vitest run -t/u,
    );
  });
  it('notes checks that are left out, without a test', () => {
    const runner = record();
    const idle = clips('idle', () => holds(1), { exempt: () => 'not its business' });
    describeLaws(runner, subject, { only: ['clip/idle'], laws: [idle] as unknown as readonly Law[] });
    expect([runner.suites, [...runner.tests.keys()]]).toEqual([[], []]);
    expect(runner.notes).toEqual([
      'clip/idle › example: not checked (not its business)',
      expect.stringContaining('0 checks, 1 not checked'),
    ]);
  });
  it('is made for each example of a plugin', () => {
    const runner = record();
    describePluginLaws(runner, () => clip);
    expect([...runner.tests.keys()].some((name) => name.endsWith('› example #2'))).toBe(true);
  });
});

it('every kind has laws with unique ids of its kind', () => {
  for (const [kind, laws] of Object.entries(lawSets)) {
    expect(lawsFor(kind as SubjectKind)).toBe(laws);
    for (const law of laws as readonly Law[])
      expect(law).toMatchObject({
        kind,
        id: expect.stringMatching(new RegExp(`^${kind}/[a-z0-9-]+$`, 'u')) as string,
        power: expect.stringMatching(/./u) as string,
      });
    expect(new Set(laws.map(({ id }) => id)).size).toBe(laws.length);
  }
  expect(() => lawsFor('nothing' as SubjectKind)).toThrow(/no laws for 'nothing'/u);
});

it('values that JSON cannot represent are shown', () => {
  expect(shown({ a: Float64Array.of(NaN, -Infinity, -0, 1), f: () => 1 })).toBe(
    '{"a":["NaN","-Infinity","-0",1],"f":"[function]"}',
  );
  expect(shown([...new Float64Array(40).fill(2), 1, 3])).toBe('["2 ×40",1,3]');
  expect(shown({ a: new Float64Array(12) }, Infinity)).toBe('{"a":[0,0,0,0,0,0,0,0,0,0,0,0]}');
  expect(shown('x'.repeat(700))).toMatch(/… \(702 characters\)$/u);
});
