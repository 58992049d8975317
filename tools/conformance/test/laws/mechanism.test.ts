import { describePluginLaws } from '@lethe/laws/vitest';
import { gaussian, laplace } from '@lethe/mechanisms';
import { describe, it } from 'vitest';

describePluginLaws({ describe, it }, () => gaussian);
describePluginLaws({ describe, it }, () => laplace);
