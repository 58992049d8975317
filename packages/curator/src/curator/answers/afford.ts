import type { Handler } from '../handlers.js';

/** Whether there is room for a query: a function of public values, recorded in the ledger. */
export const answerAfford: Handler<'afford'> = (context, { query }, id) => {
  const affords = context.affords(query, id);
  return { effect: { affords }, blank: () => affords };
};
