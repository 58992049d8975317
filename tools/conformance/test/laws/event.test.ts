import { describePluginLaws } from '@lethe/laws/vitest';
import { describe, it } from 'vitest';
import { coinEvent, noiseEvent } from '../../../mutants/src/reference/events.ts';

// No kind of event is shipped beyond core's; these two stand for a plugin's.
for (const kind of [noiseEvent, coinEvent]) describePluginLaws({ describe, it }, () => kind, { registry: [noiseEvent, coinEvent] });
