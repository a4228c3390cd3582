/**
 * Loads `.env` from the working folder, where there is one. `npm start` and its like import this file before the
 * program; a variable of the shell wins. (`node --env-file-if-exists` complains each time that there is no file.)
 */
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile('.env');
