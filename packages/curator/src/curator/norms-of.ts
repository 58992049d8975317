import type { LinearMean, Norm } from '@lethe/core';

const onlyL2: readonly Norm[] = ['l2'];

/** Norms that the factor of a linear mean takes. */
export const normsOf = ({ norms }: LinearMean): readonly Norm[] => norms ?? onlyL2;
