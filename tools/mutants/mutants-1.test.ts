import { describeMutants } from './shard.ts';

describeMutants(0, 4);
