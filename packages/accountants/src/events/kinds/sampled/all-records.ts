import type { Adjacency, PrivacyEvent, CharacterisationKind, Characterisations } from '@lethe/core';
import { defined } from '@lethe/numerics';
import type { Knowledge, NestedResolver } from '../../knowledge.js';
import { upperOnly } from '../../pairs/witness.js';

/**
 * Characterisations of the inner event, without amplification: every record is in the sample.
 *
 * @param step - Its path in the outer event. @defaultValue `event`
 */
export function allRecords(
  event: PrivacyEvent,
  adjacency: Adjacency,
  nested: NestedResolver,
  step = 'event',
): Knowledge {
  const pass =
    <C extends CharacterisationKind>(want: C) =>
    (): Characterisations[C] =>
      nested(event, want, adjacency, step);
  return {
    pure: pass('pure'),
    approximate: pass('approximate'),
    zcdp: pass('zcdp'),
    tcdp: pass('tcdp'),
    rdp: pass('rdp'),
    gdp: pass('gdp'),
    pair: pass('pair'),
  };
}

/** The cost of the inner event as an upper bound only: no lower bounds, nothing exact. */
export function atMost(event: PrivacyEvent, adjacency: Adjacency, nested: NestedResolver): Knowledge {
  const { pair, gdp, ...bounds } = allRecords(event, adjacency, nested);
  return {
    ...bounds,
    gdp: () => ({ ...defined(gdp)(), lower: 0, exact: false }),
    pair: () => defined(pair)().map(upperOnly),
  };
}
