import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DemoReceiver } from './demo-webhooks.js';
import { DemoCallbackController, DemoFeedController, DemoWebhookController } from './demo.controller.js';
import { DemoOpenController, DemoOpenPageController } from './open.controller.js';

/** The routes of the demo. They return 404 in production mode. */
@Module({
  imports: [AuthModule],
  controllers: [
    DemoCallbackController,
    DemoFeedController,
    DemoOpenController,
    DemoOpenPageController,
    DemoWebhookController,
  ],
  providers: [DemoReceiver],
})
export class DemoModule {}
