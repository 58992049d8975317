import { ask, clippedMeanEvent, repeatedEvent, type Optimizer, type Vector } from '@lethe/core';
import { defineOptimizer } from '@lethe/curator';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { runLaws } from '../../law/run.js';
import { subjectsOf } from '../../law/make-subject.js';
import type { Subject } from '../../law/subject.js';
import { ball, mechanismNamed, meanWithin, standIns } from '../curator/stand-ins/index.js';
import { optimizerLaws } from './index.js';
import { lawsAlone } from '../../../test/effort.js';
import { endAtFirstViolation } from '../../../test/first-violation.js';

endAtFirstViolation();

/** Deviations from a correct optimizer. */
interface Bugs {
  readonly planned?: number;
  readonly share?: number;
  readonly early?: boolean;
  readonly fading?: boolean;
  readonly leaves?: boolean;
  readonly forgets?: boolean;
  readonly work?: number;
  readonly remembers?: boolean;
  readonly certificate?: boolean;
  readonly wide?: boolean;
  readonly typed?: boolean;
  readonly bound?: number;
}
const steps = 3;

function descent({
  planned = steps,
  share = 1,
  early = false,
  fading = false,
  leaves = false,
  forgets = false,
  work = steps,
  remembers = false,
  certificate = false,
  wide = false,
  typed = false,
  bound = 1e3,
}: Bugs = {}): Optimizer {
  let warm: Vector | null = null;
  return defineOptimizer({
    name: 'descent',
    summary: 'Gradient descent.',
    source: { id: 'test', item: 'none' },
    params: z.strictObject({}),
    claims: [{ property: 'utility', statement: 'far above' }],
    needs: { convex: true },
    adjacencies: ['replace-one', 'add-remove'],
    trustModels: ['central'],
    // Core holds steps to what is declared.
    privacyRestsOn: certificate === true ? 'every-record constants' : 'clip',
    stopping: 'fixed',
    facts: { smoothness: 'the step size' },
    plan({ problem, budget, calibrate }) {
      const event = (multiplier: number) =>
        repeatedEvent(clippedMeanEvent(multiplier, problem.adjacency), planned);
      const { value } = calibrate({
        make: event,
        target: wide ? { ...budget, epsilon: 2 * budget.epsilon } : budget,
        adjacency: problem.adjacency,
        direction: 'larger-is-private',
      });
      return {
        multiplier: value,
        event: event(value),
        gradients: work * problem.slots[0],
        utility: { bound, source: 'none' },
        ...(typed ? { steps: new Float64Array(1) as never } : {}),
      };
    },
    *steps({ plan, domain, start, allRecords, state, rounds }) {
      const w =
        remembers && warm !== null ? warm.slice() : domain.projectInto(new Float64Array(start.length), start);
      const now = state(forgets ? { first: null as number | null } : { w, first: null as number | null });
      for (const _ of rounds(steps)) {
        const answer = yield* ask.mean({
          at: w,
          batch: allRecords,
          mean: meanWithin(
            certificate ? { by: 'certificate', fact: 'lipschitz' } : { by: 'clip', clip: ball(1) },
            mechanismNamed('gaussian'),
          ),
          target: { noiseMultiplier: share * plan.multiplier },
        });
        if (early && Math.hypot(...answer) < 0.1) break;
        const length = Math.hypot(...answer);
        now.first ??= length;
        if (fading && length < now.first / 3) break;
        for (let j = 0; j < w.length; j++) w[j] -= 0.1 * answer[j];
        if (!leaves) domain.projectInto(w, w);
      }
      warm = w.slice();
      return w;
    },
  }) as unknown as Optimizer;
}

const failing = async (optimizer: Optimizer, only?: string): Promise<Readonly<Record<string, string>>> => {
  const reports = await runLaws(
    optimizerLaws,
    subjectsOf(optimizer, { registry: standIns() })[0] as Subject<'optimizer'>,
    { effort: 0.25, ...lawsAlone(only) },
  );
  return Object.fromEntries(
    reports.flatMap(({ law, finding }) =>
      finding.verdict === 'fails' ? [[law, finding.violation.what]] : [],
    ),
  );
};

describe('laws of optimizers', () => {
  it('hold for a correct one', async () => {
    expect(await failing(descent())).toEqual({});
  });
  it('say what is missing', () => {
    const [subject] = subjectsOf(descent()) as readonly [Subject<'optimizer'>];
    expect(optimizerLaws.map((law) => law.exempt?.(subject))).toEqual(
      optimizerLaws.map(
        ({ id }) =>
          expect.stringMatching(
            {
              'optimizer/shuffled': /does not run in the shuffle model/u,
              'optimizer/regulariser': /takes no regularisers/u,
            }[id as string] ?? /needs a loss that is convex; the registry has none/u,
          ) as string,
      ),
    );
  });
  it.each<readonly [string, string, Optimizer, RegExp]>([
    [
      'steps that are not in the plan',
      'optimizer/event',
      descent({ planned: 2 }),
      /costs more than planned/u,
    ],
    ['a plan that is too dear', 'optimizer/event', descent({ planned: 4 }), /costs less than planned/u],
    ['less noise than planned', 'optimizer/event', descent({ share: 0.9 }), /costs more than planned/u],
    ['stopping by answers', 'optimizer/stopping', descent({ early: true }), /sends \d queries/u],
    ['stopping when answers fade', 'optimizer/stopping', descent({ fading: true }), /answers are fading/u],
    [
      'reliance on a constant of the population',
      'optimizer/privacy-basis',
      descent({ certificate: true }),
      /population only/u,
    ],
    ['a budget that is not kept', 'optimizer/within-budget', descent({ wide: true }), /planned for ε/u],
    ['an output outside', 'optimizer/in-domain', descent({ leaves: true }), /outside the ball/u],
    ['a state that leaves out the iterate', 'optimizer/resume', descent({ forgets: true }), /resumed/u],
    ['more work than said', 'optimizer/gradients', descent({ work: 2 }), /per-record gradients/u],
    [
      'memory of earlier runs',
      'optimizer/record-replay',
      descent({ remembers: true }),
      /differs for the same answers|remembers/u,
    ],
    [
      'reliance on a constant',
      'optimizer/privacy-basis',
      Object.freeze({ ...descent({ certificate: true }), privacyRestsOn: 'clip' as const }),
      /rests on the fact 'lipschitz'/u,
    ],
    ['a plan that is no JSON', 'optimizer/plan', descent({ typed: true }), /typed array|JSON/u],
    ['too good a bound', 'optimizer/utility', descent({ bound: 1e-3 }), /bounds the mean excess risk/u],
    [
      'adjacencies that do not work',
      'optimizer/runs',
      Object.freeze({ ...descent(), adjacencies: ['zero-out' as const] }),
      /no run could be planned/u,
    ],
    [
      'needs that are not checked',
      'optimizer/refusals',
      Object.freeze({
        ...descent(),
        prepare: (context: Parameters<Optimizer['prepare']>[0]) =>
          descent().prepare({ ...context, problem: { ...context.problem, capabilities: { convex: true } } }),
      }),
      /not convex|does not say it is convex/u,
    ],
  ])('find %s', async (_name, law, optimizer, message) => {
    expect((await failing(optimizer, law))[law]).toMatch(message);
  });
  it('find an output that tells a record', async () => {
    let seen = 0;
    const registry = standIns()
      .map((plugin) => {
        if (plugin.name === 'laws/square')
          return Object.freeze({
            ...plugin,
            linear: null,
            gradientInto(
              _params: unknown,
              out: Vector,
              _at: Vector,
              { features }: { readonly features: Vector },
            ) {
              seen += features[0];
              out.fill(0);
            },
          });
        return plugin.kind === 'loss' ? null : plugin;
      })
      .filter((plugin) => plugin !== null);
    const base = descent();
    const telling = Object.freeze({
      ...base,
      prepare(context: Parameters<Optimizer['prepare']>[0]) {
        const run = base.prepare(context);
        return {
          ...run,
          *steps(given: Parameters<typeof run.steps>[0]) {
            seen = 0;
            const output = yield* run.steps(given);
            return output.with(0, Math.tanh(seen));
          },
        };
      },
    });
    const reports = await runLaws(
      optimizerLaws,
      subjectsOf(telling, { registry })[0] as Subject<'optimizer'>,
      { cell: 'replace-one', ...lawsAlone(['optimizer/hockey-stick', 'optimizer/record-replay']) },
    );
    expect(reports.map(({ finding }) => finding.verdict)).toEqual(['fails', 'fails']);
  });
});
