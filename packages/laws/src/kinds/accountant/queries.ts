import { deepFreeze } from '@lethe/core';
import { defined } from '@lethe/numerics';
import fc from 'fast-check';
import { defineLaw } from '../../law/law.js';
import { answerTo, type Question, runsFor, sparing } from './ask.js';
import { adjacencyCells, deltas, epsilons, events } from './events.js';
import { shown } from '../../law/report.js';

export const queries = defineLaw<'accountant'>({
  id: 'accountant/queries',
  kind: 'accountant',
  tier: 'search',
  statement:
    'answers depend on the query alone: neither order nor repetition of queries changes an answer, ' +
    'and events are not modified',
  power: `any change within 12 queries about 3 events, on 1 of 12 sequences; ${sparing}`,
  cells: adjacencyCells,
  check: ({ plugin }, { cell, forAll }) => {
    const ats = fc.array(
      fc.oneof(
        deltas.map((delta) => ({ delta })),
        epsilons.map((epsilon) => ({ epsilon })),
      ),
      { minLength: 1, maxLength: 3 },
    );
    const sequence = fc.record({
      events: fc.array(events, { minLength: 1, maxLength: 2 }),
      ats,
      order: fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean()), { minLength: 2, maxLength: 12 }),
    });
    return forAll(
      sequence,
      ({ events: about, ats: points, order }) => {
        const first = new Map<string, string>();
        const asked: Question[] = [];
        // The queries in their own order, then in the order of their answers, each again.
        const questions = order.map(([e, p, thaw]) => ({
          question: {
            event: about[e % about.length],
            adjacency: defined(cell.adjacency),
            at: points[p % points.length],
          },
          thaw,
        }));
        for (const { question, thaw } of [...questions, ...questions.toReversed()]) {
          const put: Question = thaw ? structuredClone(question) : deepFreeze(question);
          const before = JSON.stringify(put.event);
          asked.push(question);
          const answer = JSON.stringify(answerTo(plugin, put) ?? 'refused', (_key, value: unknown) =>
            value === Infinity ? '∞' : value,
          );
          if (JSON.stringify(put.event) !== before)
            return { what: 'a query modified its event', input: question };
          const key = JSON.stringify(question);
          const known = first.get(key);
          if (known === undefined) first.set(key, answer);
          else if (known !== answer)
            return {
              what:
                `query ${asked.length} of a sequence was answered ${shown(known, 200)} before and ` +
                `${shown(answer, 200)} now`,
              input: asked,
            };
        }
        return undefined;
      },
      { runs: runsFor(plugin, 12) },
    );
  },
});
