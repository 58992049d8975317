import { defined, type Domain } from '@lethe/numerics';
import { type RandomSource, type Run, type Vector } from '@lethe/core';
import { nonNegativeMean } from '../../evidence/index.js';
import { normOf } from '../../engines/norms.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { viewOf, type PlainRecord } from './records.js';
import { carryOut } from './runs.js';
import { exempt, iteratesOf, planned, radius, settingOf, underEach, type Setting } from './settings.js';

/** The bound on the excess risk holds where everything is known. */
export const utility = defineLaw<'optimizer'>({
  id: 'optimizer/utility',
  kind: 'optimizer',
  tier: 'statistical',
  onClaim: true,
  statement:
    'on records drawn from eight known ones, from the farthest start, the mean excess population risk is ' +
    'at most plan.utility.bound',
  power:
    'a bound a thousandth of what it should be, in 35 runs; bounds are worst cases, so smaller errors hide',
  exempt,
  cells: underEach,
  check(subject, env) {
    const setting = settingOf(subject, defined(env.cell.adjacency));
    if ('why' in setting) return skipped(`it could not be planned: ${setting.why}; see optimizer/runs`);
    const invented = ['lipschitz', 'smoothness', ...Object.keys(subject.plugin.facts)].filter(
      (name) =>
        setting.problem.facts[name]?.provenance !== 'from-domain' &&
        name !== 'diameter' &&
        !name.startsWith('gradientMoment.'),
    );
    if (invented.length > 0)
      return skipped(
        `the loss '${setting.loss.plugin.name}' does not say ${invented.join(', ')} of bounded records; ` +
          'a bound from an invented fact proves nothing',
      );
    const run = planned(subject, setting.problem);
    const bound = run.plan.utility?.bound;
    if (bound === undefined) return skipped('its plan has no bound at these parameters');
    const evidence = nonNegativeMean({ atMost: bound });
    const population = populationOf(subject, setting);
    const pairs = env.samples(200);
    for (let i = 0; i < pairs; i++) {
      const excess = excessOf(subject, setting, run, population, env.random(i));
      evidence.push(excess);
      if (evidence.rejects(env.alpha))
        return fails(i + 1, {
          what:
            `the plan bounds the mean excess risk by ${bound}; ` +
            `measured on ${i + 1} runs it is above, ${excess} in the last`,
          measured: excess,
          allowed: bound,
          logE: evidence.logE,
          input: {
            bound: run.plan.utility,
            loss: setting.loss.ref,
            slots: setting.slots,
            dimension: setting.dimension,
          },
        });
    }
    return holds(pairs);
  },
});

interface Population {
  readonly records: readonly PlainRecord[];
  readonly start: Vector;
  readonly risk: (at: Vector) => number;
  readonly best: number;
}

function populationOf(
  subject: Subject<'optimizer'>,
  { loss: { plugin, params }, dimension, labels, problem }: Setting,
): Population {
  const records = Array.from({ length: 8 }, (_, i): PlainRecord => ({
    features: Array.from(
      { length: dimension },
      (_x, j) => (j === i % dimension || j === 0 ? 1 : 0) / Math.SQRT2,
    ),
    label: labels[i % 4 === 3 ? 1 % labels.length : 0],
  }));
  const views = records.map(viewOf);
  const domain = iteratesOf(subject, problem);
  const risk = (at: Vector): number =>
    views.reduce((sum, view) => sum + plugin.value(params, at, view) / views.length, 0);
  const gradient = (at: Vector): Vector =>
    views.reduce((sum, view) => {
      const out = new Float64Array(dimension);
      plugin.gradientInto(params, out, at, view);
      return sum.map((x, j) => x + out[j] / views.length);
    }, new Float64Array(dimension));
  const optimum = minimiser(gradient, domain, 1 / Math.max(problem.facts['smoothness'].value, 1e-2));
  const size = normOf('l2', optimum) || 1;
  return { records, risk, best: risk(optimum), start: optimum.map((x) => (-x * radius) / size) };
}

/** Near enough: a point that is not the best only makes the excess look smaller. */
function minimiser(gradient: (at: Vector) => Vector, domain: Domain, step: number): Vector {
  const at = new Float64Array(domain.dimension);
  for (let i = 0; i < 2000; i++) {
    const slope = gradient(at);
    for (let j = 0; j < at.length; j++) at[j] -= step * slope[j];
    domain.projectInto(at, at);
  }
  return at;
}

function excessOf(
  subject: Parameters<typeof carryOut>[0],
  setting: Setting,
  run: Run,
  { records, start, risk, best }: Population,
  random: RandomSource,
): number {
  const drawn = Array.from({ length: setting.slots }, () => records[random.integer(records.length)]);
  const { output } = carryOut(subject, setting, run, {
    records: drawn,
    coins: `coins ${random.bits53()}`,
    drive: { start },
  });
  return Math.max(0, risk(output) - best);
}
