/** Functions that rows C60 to C73: lower bounds and prior work speak of. */
export interface HardnessSubject {}

/** What ships. */
export const hardnessSubject: HardnessSubject = Object.freeze({});
