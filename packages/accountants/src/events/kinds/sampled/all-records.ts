import type { Adjacency, PrivacyEvent, CharacterisationKind, Characterisations } from '@lethe/core';
import type { Knowledge, NestedResolver } from '../../knowledge.js';

/** What is known of the event inside, of which everybody is part. */
export function allRecords(event: PrivacyEvent, adjacency: Adjacency, nested: NestedResolver): Knowledge {
  const pass = <C extends CharacterisationKind>(want: C) => (): Characterisations[C] => nested(event, want, adjacency, 'event');
  return { pure: pass('pure'), approximate: pass('approximate'), zcdp: pass('zcdp'), tcdp: pass('tcdp'), rdp: pass('rdp'), gdp: pass('gdp'), pair: pass('pair') };
}

/** The cost of the event inside as an upper bound: no curve is the truth, and no lower bound holds. */
export function atMost(event: PrivacyEvent, adjacency: Adjacency, nested: NestedResolver): Knowledge {
  const { pair, gdp, ...bounds } = allRecords(event, adjacency, nested);
  return { ...bounds, gdp: () => ({ ...gdp!(), lower: 0, exact: false }), pair: () => pair!().map((one) => ({ ...one, attained: false })) };
}
