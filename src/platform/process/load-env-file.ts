/**
 * Loads `.env` from the working folder if it exists. `npm start` and similar scripts import this file before the program. Variables of the
 * shell take precedence. (`node --env-file-if-exists` complains whenever the file is missing.)
 */
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile('.env');
