import type { Query, Vector } from '@lethe/core';
import type { Violation } from '../../law/finding.js';
import { defineLaw } from '../../law/law.js';
import type { Subject } from '../../law/subject.js';
import { sameBits } from '../curator/outcomes.js';
import { inSetting } from './in-setting.js';
import { scriptNames, standardRun } from './runs.js';
import { exempt, underEach, type Setting } from './settings.js';

/** One pass over records that arrive in batches; for optimizers that claim it. */
export const singlePass = defineLaw<'optimizer'>({
  id: 'optimizer/single-pass',
  kind: 'optimizer',
  tier: 'exact',
  onClaim: true,
  statement:
    'the records are split once, before any gradient; each batch gives gradients in one query, in an order ' +
    'that no answer changes, at one new point and at most at that of the query before',
  power: 'certain for a batch that is taken twice or by answers, and for a third point, in seven runs',
  exempt,
  cells: underEach,
  check: (subject, env) => inSetting(subject, env, (setting) => passes(subject, setting)),
});

type Asked = Extract<Query, { readonly ask: 'push' | 'mean' }>;
const isAsked = (query: Query): query is Asked => query.ask === 'push' || query.ask === 'mean';

function* passes(subject: Subject<'optimizer'>, setting: Setting): Generator<Violation | undefined> {
  let usual: string | undefined;
  for (const script of [undefined, ...scriptNames]) {
    const { queries } = standardRun(subject, setting, 'spread', script);
    const where = `with answers ${script ?? 'true'}`;
    yield misread(queries, where);
    const asked = queries.filter(isAsked);
    yield elsewhere(asked, where);
    const order = asked.map(({ batch }) => batch.id).join();
    usual ??= order;
    yield order === usual
      ? undefined
      : { what: `${where} it takes batches in another order than with true answers`, witness: order };
  }
}

/** A query that reads records otherwise than once each, in parts of one split. */
function misread(queries: readonly Query[], where: string): Violation | undefined {
  const taken = new Set<string>();
  let whole: string | undefined;
  for (const [i, query] of queries.entries()) {
    const wrong = (what: string): Violation => ({ what: `${where} query ${i}, a '${query.ask}', ${what}` });
    if (query.ask === 'split') {
      if (whole !== undefined) return wrong('splits records a second time');
      if (taken.size > 0) return wrong('splits records after some of them were read');
      whole = query.of.id;
    } else if (isAsked(query)) {
      const { id } = query.batch;
      if (whole === undefined || id === whole) return wrong('takes all records, not a batch of a split');
      if (taken.has(id)) return wrong('takes a batch that was taken before');
      taken.add(id);
    } else if (query.ask !== 'open') return wrong('reads records beside the pass');
  }
  return undefined;
}

/** A query with more than one point that is not that of the query before. */
function elsewhere(asked: readonly Asked[], where: string): Violation | undefined {
  let before: Vector | undefined;
  for (const [step, { of }] of asked.entries()) {
    const points = of.terms.map(({ at }) => at);
    const fresh = points.filter((point) => before === undefined || !sameBits(point, before));
    const [first] = fresh;
    if (first === undefined) continue;
    if (!fresh.every((point) => sameBits(point, first)))
      return {
        what: `${where} step ${step} takes gradients at two points that are not that of the step before`,
        witness: points.map((point) => `[${Array.from(point).join(', ')}]`).join(' '),
      };
    before = first;
  }
  return undefined;
}
