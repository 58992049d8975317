import type { Handler } from '../handlers.js';

/** Whether there is room for a query: what is told is on record, and a function of public values. */
export const answerAfford: Handler<'afford'> = (context, { query }, id) => {
  const affords = context.affords(query, id);
  return { effect: { affords }, blank: () => affords };
};
