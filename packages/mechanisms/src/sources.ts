import type { Source } from '@lethe/core';

/** An item of Lowy and Razaviyayn. */
export const lowyRazaviyayn = (item: string): Source => ({ id: 'lowy-razaviyayn', item });
/** An item of Ghazi, Guzmán, Kamath, Kumar and Manurangsi. */
export const ghazi = (item: string): Source => ({ id: 'ghazi-2024', item });
