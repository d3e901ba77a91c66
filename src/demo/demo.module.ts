import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DemoCallbackController } from './demo-callback.controller.js';

/** What the demo world needs of the service itself; answers 404 in production mode. */
@Module({ imports: [AuthModule], controllers: [DemoCallbackController] })
export class DemoModule {}
