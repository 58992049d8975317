import { logThreshold, noteTest } from '../../evidence/index.js';
import { fails, holds, skipped } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { attempt } from '../sampler/declined.js';
import { meanErrorAt, noRecords, recordsOf } from './hard-means.js';
import { parameter, withParameters } from './subject.js';

type Of = Subject<'lowerBound'>;

/** Means of one record among which a randomised response may answer. */
const mostMeans = 64;
/** Share of draws whose mean may be missing in the list. */
const missing = 0.03;
/** Steps of the search for ε, on a scale of logarithms. */
const halvings = 40;

/** Randomised response over the means of one record errs as often as the bound says. */
export const loneRecord = defineLaw<'lowerBound'>({
  id: 'lowerBound/lone-record',
  kind: 'lowerBound',
  tier: 'statistical',
  statement:
    'for one record, at the largest ε from the example on for which the bound is not refused, a randomised ' +
    'response over the means that are drawn errs with the stated probability or more: of N means it is ' +
    'right with probability e^ε/(e^ε + N − 1)',
  power: 'a probability too large by 5 in 100 where one record has at most 64 means',
  exempt: (subject) =>
    noRecords(subject) ??
    (['n', 'epsilon'].every((name) => parameter(subject, name) !== undefined)
      ? undefined
      : 'it has not both of the parameters n and epsilon'),
  check(subject, env) {
    const alone = withParameters(subject, { n: 1 });
    const at = alone === undefined ? undefined : atMostPrivate({ ...subject, params: alone });
    const found = at === undefined ? undefined : attempt(() => meanErrorAt(at));
    if (at === undefined || found === undefined || found.declined !== undefined)
      return skipped('it refuses one record');
    const { value, probability } = found.value;
    if (probability === null || !(value > 0)) return skipped('it states no probability for one record');
    // The probabilities that are compared at the end are known.
    noteTest(env.alpha, Infinity);
    const means = new Set<string>();
    let draws = 0;
    // Where more is missing, so many draws in a row show nothing new with the error probability of the law.
    const enough = Math.ceil(logThreshold(env.alpha / mostMeans) / -Math.log1p(-missing));
    for (let known = 0; known < enough; known++, draws++) {
      const mean = recordsOf(at, env.random(draws)).mean.join();
      if (means.has(mean)) continue;
      means.add(mean);
      known = 0;
      if (means.size > mostMeans) return skipped(`one record has more than ${mostMeans} means`);
    }
    // A right answer errs by nothing, a wrong one may err by less than the value: this is most that it errs.
    const others = (means.size - 1) * Math.exp(-(parameter(at, 'epsilon') ?? 0));
    const errs = 1 - (1 - missing) / (1 + others);
    return probability <= errs + 1e-9
      ? holds(draws)
      : fails(draws, {
          what:
            `one record has ${means.size} means, among which a randomised response errs with probability ` +
            `${errs} at most; the bound says that it errs by ${value} with probability ${probability}`,
          measured: probability,
          allowed: errs,
          input: at.params,
        });
  },
});

/** The subject at the largest ε, from the given one on, that it does not refuse; `undefined` for none. */
function atMostPrivate(subject: Of): Of | undefined {
  const given = parameter(subject, 'epsilon') ?? 1;
  const by = (epsilon: number): Of | undefined => {
    const params = withParameters(subject, { epsilon });
    if (params === undefined) return undefined;
    const one = { ...subject, params };
    return attempt(() => meanErrorAt(one)).declined === undefined ? one : undefined;
  };
  let best = by(given);
  if (best === undefined) return undefined;
  let [low, high] = [given, given * 2 ** 10];
  for (let i = 0; i < halvings; i++) {
    const middle = Math.sqrt(low * high);
    const next = by(middle);
    if (next === undefined) high = middle;
    else [low, best] = [middle, next];
  }
  return best;
}
