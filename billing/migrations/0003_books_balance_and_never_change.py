"""Triggers: entries balance per currency at commit; what is posted, recorded or issued never changes; numbers grow one by one; credits fit the invoice."""

from django.db import migrations

FUNCTIONS = """
CREATE FUNCTION billing_entry_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM billing_posting WHERE entry_id = NEW.entry_id GROUP BY currency HAVING SUM(amount_minor) <> 0) THEN
    RAISE EXCEPTION 'entry % does not sum to zero', NEW.entry_id USING ERRCODE = 'check_violation', CONSTRAINT = 'billing_entry_balances';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION billing_never_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% rows are append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation', CONSTRAINT = 'billing_never_changes';
END $$;

CREATE FUNCTION billing_file_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR OLD.content IS NOT NULL
     OR (NEW.document_id, NEW.kind, NEW.language) IS DISTINCT FROM (OLD.document_id, OLD.kind, OLD.language) THEN
    RAISE EXCEPTION 'a file of a document is made once' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'billing_file_once';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION billing_series_steps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.last_number NOT IN (OLD.last_number, OLD.last_number + 1) OR NEW.last_issued_on < OLD.last_issued_on
     OR (NEW.seller_id, NEW.kind, NEW.year, NEW.prefix) IS DISTINCT FROM (OLD.seller_id, OLD.kind, OLD.year, OLD.prefix) THEN
    RAISE EXCEPTION 'series % counts one by one and never back in time', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'billing_series_steps';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION billing_document_fits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counter billing_series%ROWTYPE;
BEGIN
  SELECT * INTO counter FROM billing_series WHERE id = NEW.series_id;
  IF counter.last_number <> NEW.sequence OR counter.last_issued_on <> NEW.issued_on THEN
    RAISE EXCEPTION 'document % does not have the number and day of its series', NEW.number
      USING ERRCODE = 'check_violation', CONSTRAINT = 'billing_document_fits';
  END IF;
  IF NEW.corrects_id IS NOT NULL AND EXISTS (
    SELECT 1 FROM billing_document invoice
    WHERE invoice.id = NEW.corrects_id AND (
      invoice.kind <> 'invoice' OR invoice.currency <> NEW.currency OR invoice.account_id <> NEW.account_id
      OR invoice.net_minor + NEW.net_minor + (SELECT COALESCE(SUM(net_minor), 0) FROM billing_document WHERE corrects_id = NEW.corrects_id) < 0
      OR invoice.tax_minor + NEW.tax_minor + (SELECT COALESCE(SUM(tax_minor), 0) FROM billing_document WHERE corrects_id = NEW.corrects_id) < 0
    )
  ) THEN
    RAISE EXCEPTION 'credit note % exceeds its invoice', NEW.number USING ERRCODE = 'check_violation', CONSTRAINT = 'billing_credit_fits';
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION billing_status_fits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.credited_minor > (SELECT gross_minor FROM billing_document WHERE id = NEW.document_id) THEN
    RAISE EXCEPTION 'more is credited than was invoiced' USING ERRCODE = 'check_violation', CONSTRAINT = 'billing_status_fits';
  END IF;
  RETURN NEW;
END $$;

CREATE CONSTRAINT TRIGGER billing_entry_balances AFTER INSERT ON billing_posting
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION billing_entry_balances();
CREATE TRIGGER billing_never_changes BEFORE UPDATE OR DELETE ON billing_entry FOR EACH ROW EXECUTE FUNCTION billing_never_changes();
CREATE TRIGGER billing_never_changes BEFORE UPDATE OR DELETE ON billing_posting FOR EACH ROW EXECUTE FUNCTION billing_never_changes();
CREATE TRIGGER billing_never_changes BEFORE UPDATE OR DELETE ON billing_usagesegment FOR EACH ROW EXECUTE FUNCTION billing_never_changes();
CREATE TRIGGER billing_never_changes BEFORE UPDATE OR DELETE ON billing_rateditem FOR EACH ROW EXECUTE FUNCTION billing_never_changes();
CREATE TRIGGER billing_never_changes BEFORE UPDATE OR DELETE ON billing_document FOR EACH ROW EXECUTE FUNCTION billing_never_changes();
CREATE TRIGGER billing_file_once BEFORE UPDATE OR DELETE ON billing_documentfile FOR EACH ROW EXECUTE FUNCTION billing_file_once();
CREATE TRIGGER billing_series_steps BEFORE UPDATE ON billing_series FOR EACH ROW EXECUTE FUNCTION billing_series_steps();
CREATE TRIGGER billing_document_fits BEFORE INSERT ON billing_document FOR EACH ROW EXECUTE FUNCTION billing_document_fits();
CREATE TRIGGER billing_status_fits BEFORE INSERT OR UPDATE ON billing_documentstatus FOR EACH ROW EXECUTE FUNCTION billing_status_fits();
"""
AWAY = """
DROP FUNCTION billing_entry_balances, billing_never_changes, billing_file_once, billing_series_steps, billing_document_fits, billing_status_fits CASCADE;
"""


class Migration(migrations.Migration):

    dependencies = [("billing", "0002_prices_frozen_and_sums_checked")]

    operations = [migrations.RunSQL(FUNCTIONS, AWAY)]
