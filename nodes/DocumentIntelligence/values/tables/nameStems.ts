/**
 * Stems of field names, a row a language, in lower case without accents; `_` is a blank. A stem is a word of the name. A
 * hyphen shows where a word goes on: `-nummer` is also in `Rechnungsnummer`, `numer-` also in `numeru`. With `=`, the name
 * is nothing but the stem, because longer names may be amounts: `order`, but not `order total`. What another stem of the
 * table covers is not repeated: `-nummer` covers `nummer`. A stem may be a pattern, as in `cent(?:er|re)`; it is read in
 * lower case, so it has no class such as `\D`.
 */
type Rows = Record<string, string>;

/**
 * Numbers that are no amounts: at the end of a name (`customer ID`), or as its only word. Names whose numbers always have
 * seven digits or more, letters or hyphens, such as IBAN and ISBN, need no stem: their form shows what they are.
 */
export const IDENTIFIERS: Rows = {
	manyLanguages: `=bon =cheque cif =client =cliente cod =contract =dossier =factura =faktura =fatura =folio mobil =model no -nr num -nummer =order =ordre =police reference tel telefono telephone =ticket =operator -(?<!con)version versie =versione =revision =rev =ver =software =firmware =build last card_ending digits digitos ziffern chiffres cifre`,
	english: `numbers nos ids codes references ref refs account contact zip sku lot batch part hs hsn hts sac mcc section clause paragraph serial cost_cent(?:er|re)s? reg =registered pin ean =file =case =item =drawing =terminal =room =rooms =page =pages =seat =gate =project =position =exhibit =annex =invoice =receipt =check =policy =po =po_box =voucher =customer =table =pump =till =paybill =register =branch =lane =member =passport =licence =license =plate =badge =employee uhid mrn =accession =parcel =pnr =confirmation =conf =docket =consignment a_c =purchase_order =sales_order =work_order =approval =mid =store =cashier =server bill_of_lading =voyage cpt =apt =suite sn =style =premise =department =rc =bin p_o_box phone fax mobile =clerk =merchant =station =shift =trace =stan acct registration`,
	german: `-nummern -id -code -(?<![nr]s)konto -leitzahl -kennung -kennziffer -zeichen -referenz kontakt plz kostenstelle -zolltarif abschnitt klausel finanzamt =auftrag =vertrag =projekt =artikel =zimmer =seite =pos lv_pos =oz =chargen =kapitel =beleg =rechnung =quittung =lieferschein =bestellung =kundenbon =gutschein =tisch =akte =scheck =vorgang =siegel =talon hrb ec_beleg =markt flurstuck -telefon handy =bediener =kassierer =filiale`,
	french: `numeros compte matricule identifiant piece cp cedex poste =centre_de_couts? =affaire =contrat =commande =article =facture =recu =devis =bon_de_livraison =bon_de_commande =vol =siege portable =vendeur =serveur =magasin`,
	spanishAndPortuguese: `codigo cuenta conta referencia telefone celular movil contacto contato identificacion dni nit cedula ncm cfop cst agencia chave matricula =centro_de_cost[oe]s? =documento =pedido =expediente =contrato =clausula =seccion =recibo =boleta =poliza =apolice =vale =nota_fiscal =comprobante =orden =remision =albaran =encomenda =guia =mesa =orcamento =talao =coo =ccf =remito autorizacion autorizacao folio_[^_]+ =lote =ci clave =suministro guia_de_remision orden_de_compra oc o_c =placa nf_e =uc =instalacao unidade_consumidora nsu =doc =contribuinte protocolo rut inscricao =cajero =vendedor =operador =sucursal =loja`,
	italian: `codice conto riferimento contatto identificativo matricola [^_]+_n centr[oi]_di_costo p_iva partita_iva cap =pratica =commessa =contratto =lotto =parte =sezione =clausola =fattura =ricevuta =scontrino =ordine =assegno =polizza =bolla =ddt =preventivo =protocollo contatore =rea =tavolo abi cab cellulare rif =operatore =cassiere =negozio`,
	dutch: `-rekening -kenmerk -referentie -telefoon mobiel kostenplaats =sectie =clausule =factuur =bestelling =klant =polis =kassabon =pakbon =offerte =opdracht =debiteur factuurno`,
	nordic: `-nro -numero -tunnus kid ocr -viite -puhelin =bong =kvittering =kvitto =kuitti =bilag =lasku =tilaus =kunde =kund =bestilling =bestallning =reikningur =pontun -numer =asiakas rekvisition =kassor =butik`,
	polish: `numery rachunek pkwiu =paragon =zamowienie =umowa =polisa =zlecenie =oferta =klient =indeks =wz =kasjer =lp =poz =pozycja`,
	czechAndSlovak: `[^_]{4,}_c cislo ucet psc symbol vs ks ss zak =uctenka =objednavka =doklad =smlouva =zmluva =blocek =zakazka =zakaznik =pojistka dodaci_list odberne_miesto`,
	hungarian: `-szama -(?<!darab)szam -kodja bankszamla vtsz =szamla =nyugta =rendeles =szerzodes -kod -azonosito`,
	romanian: `numar numarul codul cont cui serie =chitanta =polita =comanda seria cont_bancar nlc cod_loc_consum`,
	southSlavic: `-broj stevilka sifra racun posta sklic =polica =narudzba =narocilo =ugovor =pogodba br (?:racun|narocilo|dobavnica|pogodba|davcna|maticna)_st =mb =brojilo =referenca trr`,
	baltic: `numeris kodas saskaita sask numurs konts kods =saskaita_faktura =rekins =arve =tellimus =uzsakymas =pasutijums =poliis =polise =polisas -number -kood kmkr =serija`,
	albanianAndMaltese: `numri kodi nipt nuis`,
	greek: `αριθμος αρ αρθμ κωδικος λογαριασμος τηλεφωνο τκ τ_κ μαρκ =τιμολογιο =αποδειξη =παραγγελια νο α_μ δου =σειρα τηλ κωδ`,
	cyrillic: `номер номера код счет рс тел телефон индекс артикул мфо рахунок број =фактура =ід =чек =заказ =замовлення =договор =договір =поръчка =накладная =квитанция =сметка фд фп л_с к_с р_с =смена =паспорт =серия о_р прро =зн партида бр шифра`,
	turkish: `numarasi numara kodu hesap sicil =fis =siparis =makbuz =irsaliye =dekont`,
	arabic: `رقم الرقم كود الكود هاتف الهاتف الحساب الرمز رمز مرجع المرجع جوال =فاتورة =الفاتورة =ايصال =الطلب السجل_التجاري س_ت`,
	hebrew: `ספרות_אחרונות מספר מס מס׳ קוד טלפון חשבון ח_פ ע_מ ת_ז =חשבונית =קבלה =הזמנה עוסק_מורשה =חוזה מק_ט אסמכתא =קופה תיק_ניכויים`,
	persianAndUrdu: `شماره کد تلفن حساب شناسه نمبر =فاکتور`,
	southAsian: `संख्या क्रमांक नंबर কোড নম্বর`,
	southEastAsian: `เลข- หมายเลข- รหัส- เบอร์- โทร โทรศัพท์ เล่มที่ ทะเบียน ma_so ma_so_thue so_hoa_don so_hd so_tai_khoan dien_thoai nomor kode telepon hp faktur_pajak nombor invois =hoa_don =faktur =kuitansi =resit =pesanan =ma dt ky_hieu mau_so =ban =idpel id_pelanggan =meja =kasir =so`,
	eastAsian: `-号 -番 -コード -電話 -口座 〒 -电话 -邮编 -번호 -코드 -전화 -계좌 -계좌번호 -號 -码 -碼 手机 統編 =レジ =責 責任者 =担当 =テーブル =伝票 -号室 =ロット マイナンバー -품번 -사번 =테이블 =호실`,
};

/** What identifies a thing at the beginning of a name, too: `Nr faktury`, `Code acte`. */
export const FIRST_WORDS: Rows = {
	latin: `no nr num numero numer number n nro nummer c cislo broj br stevilka nomor nombor numar numarul numri numeris numurs st so code cod codigo codice kod kode kodas ref reference referencia rif riferimento compte conto cuenta conta telephone telefono telefone matricule identifiant identificacion identificativo cedula inscricao chave sifra ma_(?:so|don|hang|kh|khach|nhan|nv|san|sp)`,
	others: `номер αρ αριθμος رقم الرقم מספר מס شماره شناسه เลขที่ број бр код шифра κωδικος κωδ كود الكود رمز קוד รหัส کد`,
};

/** What is counted: a number of these is an amount. */
export const COUNTED: Rows = {
	english: `items nights days hours guests copies units persons people adults children employees boxes packages months years weeks shares installments instalments rooms of_[^_]+s visits tickets passengers`,
	german: `stuck tage nachte stunden kartons pakete paletten monate seiten einheiten gaste mitarbeiter teile`,
	french: `jours? nuits? heures? personnes? colis pieces articles mois pages unites parts palettes cartons`,
	spanishAndPortuguese: `bultos cajas dias noches horas personas unidades piezas paginas meses articulos cuotas volumes caixas noites pessoas pecas itens parcelas diarias plazas acciones pasajeros`,
	italian: `giorni notti ore persone pezzi pagine mesi articoli scatole rate ospiti`,
	dutch: `stuks dagen nachten uren personen colli dozen pallets maanden`,
	nordic: `dager dagar dage timer timmar antal antall kolli personer stk st natter netter`,
	slavic: `dni dnu godzin godziny sztuk szt opakowan osob noci nocy kusu kusov palet dana kosov дней часов штук мест человек дни броя`,
	others: `adet gun gece kisi orang hari malam koli unit ngay nguoi dem darab nap ημερων τεμαχιων ימים יחידות لايام قطع luong`,
};

/** A time, and other numbers that are no amounts, while a date under such a name is one. */
export const TIMES: Rows = {
	english: `time start end begin revision lat lon lng latitude longitude =departure =arrival =checkin =checkout =check_in =check_out =from =to =fiscal_year clock_in clock_out punch_in punch_out time_in time_out =dep =arr =departs =arrives =eta =etd =boarding =month =period =exp_month`,
	german: `anfang uhrzeit startzeit endzeit breitengrad langengrad =zeit =abfahrt =ankunft =kommen =gehen =uhr -beginn ende arbeitsende von bis =abflug =monat -smonat -zeitraum =quartal`,
	french: `debut =heure heure_- =fin =arrivee =depart =mois =periode`,
	spanishAndPortuguese: `=hora hora_(?!extra)- latitud longitud =inicio =fim =llegada =desde =hasta =chegada horario =salida =saida =termino =periodo =mes`,
	italian: `=ora ora_- latitudine longitudine =fine =inizio =orario =dalle =alle =entrata =uscita =mese`,
	dutch: `-tijd einde breedtegraad lengtegraad =van =tot =aankomst =vertrek tijdstip =maand`,
	nordic: `klokkesl- klockslag kellonaika =aika =lahto =saapuminen klukkan tid =kl =klokken =fra =til =fran =till =avgang =ankomst =klo =alku =loppu =slut =alkaa =paattyy =alkoi =kello`,
	slavic: `godzina cas cas_- ura vrijeme vreme време время час =od do =с =по =от до =від godz godz_- =odjazd =przyjazd odhod prihod dolazak odlazak =wejscie =wyjscie rozpoczecie zakonczenie =prichod =odchod =odjezd zacatek =konec =rok =okres =obdobi начало окончание початок кінець =приход =уход прибытия отправления прибуття`,
	others: `saat idopont ωρα jam waktu =nota masa gio gio_- -時刻 -時間帯 -时间 -時間 =開始 =終了 =始業 =終業 시간 -시각 الوقت שעה =kezdes =indulas =ido =vege =erkezes =tavozas baslangic bitis =giris =cikis giris_saati jam_masuk jam_keluar =pukul εναρξη ωρα_- =plecare =sosire =laiks =laikas =kell =aeg kellaaeg algus שעת_[^_]+ وقت الساعة ساعة_[^_]+ ساعت =出勤 =退勤 =出発 =到着 上班 下班 =출근 =퇴근 =시작 =종료 เวลา- masa_masuk masa_keluar`,
};

/** Dates. A name that also means an amount means that: Amount Due. */
export const DATES: Rows = {
	manyLanguages: `data -datum`,
	english: `date dates dated dob (?:due|pay|payable)_by due_on =due =posted =issued =valid_until =expires expiry =exp expiration valid_thru`,
	german: `abreise anreise -tag(?!e) -termin -frist fallig faelligkeit -falligkeit =gultig_bis wertstellung =buchung =wert mhd mindesthaltbarkeit`,
	french: `echeance =valeur_le =emis_le =valeur dlc dluo`,
	spanishAndPortuguese: `fecha vencimiento vencimento f_emision fec validade vto vcto caducidad f_operacion f_cad =val =vence vencto vigencia`,
	italian: `scadenza =valuta =emesso_il =scad`,
	dutch: `=geldig_tot`,
	nordic: `-dato forfall forfald -dag paivays -paiva -paivamaara dagsetning gjalddagi eindagi bogfort`,
	polish: `daty`,
	czechAndSlovak: `splatnost splatne vystaveno`,
	hungarian: `kelt kelte hatarido esedekesseg teljesites erteknap napja`,
	romanian: `scadent scadenta termen`,
	southSlavic: `dospijece dospece rok_placila датум рок_за_плаќање rok_placanja вальор`,
	baltic: `datums kuupaev -tahtaeg termins terminas`,
	greek: `ημερομηνια ημνια ημ_νια ληξη ημερ`,
	cyrillic: `дата срок падеж термін`,
	turkish: `tarih -tarihi vade valor`,
	arabic: `تاريخ التاريخ الاستحقاق`,
	hebrew: `תאריך ת_ערך`,
	persianAndUrdu: `تاریخ سررسید`,
	southAsian: `तिथि दिनांक तारीख তারিখ`,
	southEastAsian: `วันที่ tanggal tgl jatuh_tempo tarikh -ngay han petsa วัน- กำหนด- ครบกำหนด`,
	eastAsian: `-日 -日付 -期限 -日期 -일 -일자 -날짜 -기한`,
};

/** Births: the century of a year of two digits is open. */
export const BIRTHS: Rows = {
	all: `dob -birth -birthday birthdate born -geburt- geb naissance nacimiento nascimento nascita geboorte- -fodsel- -fodd fodelse- syntyma- urodzenia narozeni narodenia szuletes- nasterii rodenja rojstva dzimsanas gimimo sunni- γεννηση- рождения народження раждане dogum- lahir -生年月日 -出生- -생년월일 الميلاد לידה sinh เกิด`,
};

/** Prices of a unit, rates and tariffs, which have more decimals than amounts. */
export const UNIT_PRICES: Rows = {
	manyLanguages: `(?:price|prix|precio|preco|hinta)_(?:[^_]{1,3}|lit[^_]+) taxa`,
	english: `unit_price unit_cost rates? tariff per_[^_]{1,5} ppl ppg price_each`,
	german: `preis_(?:liter|ltr|kg|l|je|pro|stk|stuck|kwh|m) -einzelpreis -stuckpreis -einheitspreis -arbeitspreis -grundpreis -tarif -kurs e_preis ep`,
	french: `prix_unitaire prix_unit pu p_u taux cours`,
	spanishAndPortuguese: `precio_unitario preco_unitario precio_unit valor_unitario p_unit v_unit tarifa tasa tipo_de_cambio termino`,
	italian: `tariffa tasso prezzo`,
	dutch: `eenheidsprijs stukprijs prijs_[^_]{1,3} tarief -koers`,
	nordic: `a_pris enhetspris enhedspris stykpris stk_pris pris_per yksikkohinta a_hinta einingarverd gengi`,
	slavic: `cijena cena цена тариф ціна курс`,
	others: `egysegar ar_[^_]+ arfolyam pret curs τιμη fiyati? kur -単価 -单价 -單價 -단가 -汇率 don_gia harga ราคาต่อหน่วย سعر السعر מחיר`,
};

/** Taxes, of which there is an amount as well as a number: `VAT`, `VAT Reg No`. */
export const TAXES: Rows = {
	latin: `tax taxes vat gst mwst ust -steuer tva iva igv itbis itbms isv btw moms mva alv vsk dph afa pdv ddv pvm pvn kaibemaks kdv ppn tien_thue`,
	others: `φπα ндс пдв ддс الضريبة מע_מ مالیات ภาษี -税額 -消費税 -税额 -稅額 -세액 -부가세`,
};

/** Amounts, under whose names a bookkeeper expects a number. */
export const AMOUNTS: Rows = {
	english: `totals subtotal amount amounts net gross price balance fee`,
	german: `-betrag -summe -gesamt -preis -kontostand rabatt skonto kosten`,
	french: `montant somme ttc ht solde remise prix frais`,
	spanishAndPortuguese: `importe monto neto precio valor preco liquido a_pagar descuento desconto`,
	italian: `totale importo somma imponibile lordo prezzo sconto`,
	dutch: `-totaal -bedrag bruto prijs korting`,
	nordic: `-belop belob -sum totalt att_betala a_betale ut_av inn_pa i_alt samtals upphaed yhteensa veroton verollinen -summa`,
	slavic: `razem kwota wartosc do_zaplaty cena celkem spolu castka ciastka zaklad k_uhrade zustatek ukupno iznos osnovica znesek skupaj za_placilo stanje`,
	manyLanguages: `total netto brutto saldo suma`,
	cyrillic: `сумма сума итог итого разом всього общо к_оплате баланс остаток вкупно укупно износ`,
	hungarian: `osszesen osszeg fizetendo vegosszeg`,
	romanian: `valoare de_plata sold`,
	baltic: `is_viso kopa kokku tasuda`,
	greek: `συνολο ποσο αξια πληρωτεο υπολοιπο`,
	turkish: `toplam tutar tutari matrah odenecek bakiye`,
	arabic: `الاجمالي المجموع المبلغ مبلغ اجمالي الصافي الرصيد`,
	hebrew: `סה_כ סכום לתשלום יתרה`,
	persianAndUrdu: `جمع کل`,
	southAsian: `कुल राशि মোট`,
	southEastAsian: `รวม รวมทั้งสิ้น จำนวนเงิน ยอดรวม jumlah tong thanh_tien so_tien so_du cong_tien_hang harga`,
	eastAsian: `-金額 -合計 -小計 -総額 -残高 -金额 -合计 -总计 -總計 -总额 -합계 -금액 -총액`,
};

/** Beside an amount's name, these mean that something else is added up, or said about it. */
export const NO_AMOUNTS: Rows = {
	all: `words word worten lettres letras lettere slownie slovy prepisem прописью weight gewicht poids peso qty quantity menge hours stunden pages seiten days tage points units items year period periode class klasse office type pieces km kg kwh count date fecha data dato datum`,
};
