import 'reflect-metadata';
import { keepRowsYoung, serve } from './serve.js';

await serve();
keepRowsYoung();
