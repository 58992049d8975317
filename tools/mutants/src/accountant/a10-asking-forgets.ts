import { rdp } from '@lethe/accountants';
import { countedEvent, normalEvent, type CoreEvent, type PrivacyEvent } from '@lethe/core';
import { defineMutant } from '../mutant.js';
import { changed } from './plant.js';

/** Every query removes the last entry of the history, as in `get_epsilon`. */
function popping(): (event: PrivacyEvent) => PrivacyEvent {
  const asked = new Map<string, number>();
  return (event) => {
    const normal = normalEvent(event) as CoreEvent;
    if (normal.kind !== 'core/compose') return event;
    const key = JSON.stringify(normal);
    const times = asked.get(key) ?? 0;
    asked.set(key, times + 1);
    const [last] = normal.parts.slice(-1);
    return last === undefined || last.count <= times
      ? event
      : countedEvent([...normal.parts.slice(0, -1), { ...last, count: last.count - times }]);
  };
}

export const a10 = defineMutant({
  id: 'accountant/asking-epsilon-takes-last-run-out-history',
  kind: 'accountant',
  title: 'a query for ε removes the last run from the history',
  source: 'pytorch/opacus #541',
  killedBy: ['accountant/queries'],
  within: 12,
  plant: () => {
    const pop = popping();
    return changed(rdp, {
      epsilon: (event, query) =>
        rdp.epsilon(
          event !== null && typeof event === 'object' && 'kind' in event ? pop(event) : event,
          query,
        ),
    });
  },
});
