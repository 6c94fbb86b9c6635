"""An audit entry never changes: the database refuses UPDATE and DELETE."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_current_organisation")]
    operations = [
        migrations.RunSQL(
            """
            CREATE FUNCTION accounts_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'audit entries are append-only' USING ERRCODE = 'restrict_violation';
            END $$;
            CREATE TRIGGER accounts_audit_append_only BEFORE UPDATE OR DELETE ON accounts_auditentry
                FOR EACH ROW EXECUTE FUNCTION accounts_refuse_change();
            """,
            """
            DROP TRIGGER accounts_audit_append_only ON accounts_auditentry;
            DROP FUNCTION accounts_refuse_change();
            """,
        ),
    ]
