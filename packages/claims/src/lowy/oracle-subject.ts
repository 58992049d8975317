/** Functions that rows C1 to C34: privacy, oracles and moments speak of. */
export interface OracleSubject {}

/** What ships. */
export const oracleSubject: OracleSubject = Object.freeze({});
