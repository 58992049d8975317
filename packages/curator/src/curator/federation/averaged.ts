import type { QueryName } from '@lethe/core';

const whole: ReadonlySet<QueryName> = new Set(['minimiser', 'descend', 'choose', 'select', 'afford']);
/** Whether answers of several silos to such a query can be joined. */
export const isAveraged = (ask: QueryName): boolean => !whole.has(ask);

const rounds: ReadonlySet<QueryName> = new Set(['push', 'mean', 'localUpdate', 'value']);
/** Whether the run can go on when a silo does not answer such a query. */
export const isRound = (ask: QueryName): boolean => rounds.has(ask);
