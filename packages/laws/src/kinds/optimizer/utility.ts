import { defined } from '@lethe/numerics';
import { nonNegativeMean, noteEnd } from '../../evidence/index.js';
import { fails, holds, skipped, type Finding } from '../../law/finding.js';
import { defineLaw, type LawEnv } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { knownRisks, type KnownRisk } from './known-risk.js';
import { carryOut } from './runs.js';
import { exempt, settingOf, underEach } from './settings.js';

/** Runs after which a bound is left that is far above what is measured. */
const runsOfALook = 6;

/** A bound on the excess risk holds where the risk is known. */
export const utility = defineLaw<'optimizer'>({
  id: 'optimizer/utility',
  kind: 'optimizer',
  tier: 'statistical',
  statement:
    'whenever a plan shows plan.utility, the mean excess risk is at most its bound: on equal records ' +
    'with much noise and with little, in a ball and on the whole space, and, where the claim utility ' +
    'says that it is the risk of the population, on records drawn from eight',
  power:
    'half of a bound that an instance attains up to a fifth, in 200 runs; a thousandth of a bound that is ' +
    'nowhere attained; a bound is left after six runs with a mean excess below half of it',
  exempt,
  cells: underEach,
  check(subject, env) {
    const adjacency = defined(env.cell.adjacency);
    const setting = settingOf(subject, adjacency);
    if ('why' in setting) return skipped(`it could not be planned: ${setting.why}; see optimizer/runs`);
    const instances = [...knownRisks(subject, adjacency, setting)];
    if (instances.length === 0)
      return skipped('no plan shows a bound that rests on what a loss says of bounded records');
    let samples = 0;
    for (const [index, known] of instances.entries()) {
      const finding = measured(subject, known, env, { index, alpha: env.alpha / instances.length });
      samples += finding.samples;
      if (finding.verdict === 'fails') return { ...finding, samples };
    }
    return holds(samples);
  },
});

/** Runs of one instance, and the evidence that their mean excess risk is above the bound. */
function measured(
  subject: Subject<'optimizer'>,
  { name, setting, run, bound, population, start, excess }: KnownRisk,
  env: LawEnv,
  { index, alpha }: { readonly index: number; readonly alpha: number },
): Finding {
  const evidence = nonNegativeMean({ atMost: bound });
  const random = env.random(index);
  const most = env.samples(200);
  let sum = 0;
  for (let i = 0; i < most; i++) {
    const drawn = Array.from({ length: setting.slots }, () => population[random.integer(population.length)]);
    const { output } = carryOut(subject, setting, run, {
      records: drawn,
      randomness: `coins ${random.bits53()}`,
      drive: { start },
      isUnheard: true,
    });
    const found = excess(output);
    sum += found;
    evidence.push(found);
    if (evidence.rejects(alpha))
      return fails(i + 1, {
        what:
          `the plan bounds the mean excess risk by ${bound}; measured on ${i + 1} runs it is ` +
          `${sum / (i + 1)} (${name})`,
        measured: sum / (i + 1),
        allowed: bound,
        logE: evidence.logE,
        input: {
          bound: run.plan.utility,
          loss: setting.loss.ref,
          slots: setting.slots,
          dimension: setting.dimension,
        },
      });
    if (i + 1 >= runsOfALook && sum < ((i + 1) * bound) / 2) {
      noteEnd(evidence, { alpha, planned: most });
      return holds(i + 1);
    }
  }
  return holds(most);
}
