import { encode } from '../journal/codec.js';
import { sameBytes } from '../bytes.js';
import { ownCopy, type Intern } from '../own-copy.js';
import { settleRef } from '../plugins/settled-refs.js';
import type { Ref } from '../plugins/plugin.js';
import type { Query } from '../query/query.js';
import { checkQuery } from './check-query.js';

/** Takes queries in: what it returns is the curator's own, and of the shape of a query. */
export type Intake = (query: unknown) => Query;

/** References remembered; a run whose references never repeat must not keep them all. */
const mostRefs = 256;

/**
 * The border of a curator. A query is copied before anything looks at it, so that what is checked, charged, digested and
 * answered is one value, whatever the caller's object says when it is read again.
 *
 * Equal references become one frozen object, by which parsed parameters and events are found again: only the curator's own
 * copies are compared for that.
 *
 * @param onRef - Is told every reference that is not equal to one before.
 * @throws {InvalidParameter} for what is not plain data, or not a query.
 */
export function createIntake(onRef: (ref: Ref) => void = () => undefined): Intake {
  const known = new Map<string, readonly { readonly ref: Ref; readonly params: Uint8Array }[]>();
  let count = 0;
  const intern: Intern = (record) => {
    const { kind, name, params } = record as Partial<Ref>;
    if (typeof kind !== 'string' || typeof name !== 'string' || params === undefined) return record;
    const key = `${kind} ${name}`;
    const alike = known.get(key) ?? [];
    const bytes = encode(params);
    for (const seen of alike) if (sameBytes(seen.params, bytes)) return seen.ref as unknown as typeof record;
    if (count >= mostRefs) { known.clear(); count = 0; }
    const ref = settleRef(Object.freeze(record as unknown as Ref));
    known.set(key, [...known.get(key) ?? [], { ref, params: bytes }]);
    count += 1;
    onRef(ref);
    return record;
  };
  return (query) => {
    const own: unknown = ownCopy(query, intern);
    checkQuery(own);
    return own;
  };
}
