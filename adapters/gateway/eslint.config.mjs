import js from '@eslint/js';

const globals = (names) => Object.fromEntries(names.split(' ').map((name) => [name, 'readonly']));

export default [
  { ignores: ['target/', 'node_modules/'] },
  js.configs.recommended,
  {
    languageOptions: { globals: globals('Buffer URL clearTimeout console process setTimeout') },
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      curly: ['error', 'multi-line', 'consistent'],
    },
  },
];
