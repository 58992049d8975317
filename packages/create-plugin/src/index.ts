export { createPlugin, problemWith, type NewPlugin } from './create-plugin.js';
export { kinds } from './kinds.js';
export { camelCase, pluginText, type PluginText } from './plugin-text.js';
