import js from '@eslint/js';
import { settings } from '../node/eslint.settings.mjs';

export default settings(js.configs.recommended);
