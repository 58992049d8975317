import { defineLinearLoss, type Loss } from '@lethe/core';
import * as z from 'zod';

/** The loss `label · margin`, whose gradient is the record, with the sign of its label. */
export const marginLoss = (facts: Loss['facts'] = () => ({})) =>
  defineLinearLoss({
    name: 'margin',
    summary: 'x',
    source: { id: 'test', item: 'x' },
    params: z.strictObject({}),
    claims: [],
    capabilities: {},
    facts,
    labels: { rule: 'any', accepts: () => true },
    linear: {
      value: (_params, margin, label) => margin * label,
      slope: (_params, _margin, label) => label,
    },
  });
