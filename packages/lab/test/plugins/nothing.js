export const remark = 'no plugin at all';
