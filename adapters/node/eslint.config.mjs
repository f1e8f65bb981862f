import js from '@eslint/js';
import { settings } from './eslint.settings.mjs';

export default settings(js.configs.recommended);
