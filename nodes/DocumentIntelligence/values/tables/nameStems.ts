/**
 * Stems of field names, a row a language, in lower case without accents; `_` is a blank. A stem is a word of the name. A
 * hyphen shows where a word goes on: `-nummer` is also in `Rechnungsnummer`, `numer-` also in `numeru`. With `=`, the name
 * is nothing but the stem, because longer names may be amounts: `order`, but not `order total`.
 */
type Rows = Record<string, string>;

/** Numbers that are no amounts: at the end of a name (`customer ID`), or as its only word. */
export const IDENTIFIERS: Rows = {
	english: `number numbers no nos num nr id ids code codes reference references ref refs account acct iban bic swift phone telephone tel fax mobile contact zip postcode eircode sku lot batch part hs hsn hsn_code hts sac mcc section clause paragraph serial cost_center cost_centers cost_centre cost_centres reg registration =registered pin upc ean gtin isbn vin imei awb bsb abn ein ssn tin gstin pan cin ifsc uen trn =cfop =order =file =case =ticket =item =drawing =terminal =room =rooms =page =pages =seat =gate =project =contract =position =exhibit =annex =invoice =receipt =receipt_# =cheque =check =policy =po =po_box =folio =voucher =client =customer =table =pump =till =register =branch =lane =member =passport =licence =license =plate =badge =employee =sort_code uhid mrn =accession =parcel =pnr =confirmation =conf =docket =consignment a_c =purchase_order =sales_order =work_order =approval =mid =store =cashier =server utr bill_of_lading hawb mawb =voyage cpt icd npi dea =apt =suite sn =model =style =premise =department =routing aba micr tan uan =sin nino acn tfn nzbn brn =rc =bin p_o_box e_ticket`,
	german: `-nummer -nummern -nr -id -code -kode -(?<![nr]s)konto -leitzahl -kennung -kennziffer -zeichen -referenz -telefon kontakt handy mobil blz plz kostenstelle -zolltarif abschnitt klausel iln gln leitweg-id ik finanzamt =auftrag =vertrag =projekt =artikel =zimmer =seite =pos =chargen =kapitel =beleg =bon =rechnung =quittung =lieferschein =bestellung =kundenbon =gutschein =police =tisch =akte =scheck =vorgang =siegel =talon =aktenzeichen =kassenzeichen hrb ec_beleg =markt flurstuck`,
	french: `numero numeros num code compte reference telephone matricule identifiant portable siren siret ape naf rib piece cp cedex poste =centre_de_cout =centre_de_couts =dossier =affaire =contrat =commande =article =facture =recu =cheque =bon =client =ticket =police =devis =folio =ordre =lot =bon_de_livraison =bon_de_commande point_de_livraison pdl =vol =siege`,
	spanishAndPortuguese: `codigo cuenta conta referencia telefono telefone celular movil contacto contato identificacion dni nif cif nit rut ruc cuit rfc cnpj cpf cuil cae cedula cep ncm cfop cst cnae agencia chave inscricao_estadual curp clabe nss matricula =centro_de_costo =centro_de_costos =centro_de_coste =centro_de_costes =documento =pedido =expediente =contrato =clausula =seccion =factura =fatura =recibo =boleta =folio =cheque =poliza =apolice =vale =nota_fiscal =comprobante =cliente =ticket =orden =remision =albaran =encomenda =guia =serie =mesa =orcamento =presupuesto =talao =coo =ccf =remito =presupuesto =expediente autorizacion autorizacao folio_[^_]+ =lote =ci nrc dui =ccc clave clave_[^_]+ cups nis nise =suministro guia_de_remision orden_de_compra oc o_c =placa nf_e =uc =instalacao unidade_consumidora nsu =doc atcud =contribuinte protocolo`,
	italian: `codice conto riferimento cellulare contatto identificativo telefono matricola [^_]+_n sdi cig cup centro_di_costo centri_di_costo p_iva partita_iva cap =pratica =commessa =contratto =lotto =parte =sezione =clausola =fattura =ricevuta =scontrino =ordine =assegno =polizza =bolla =ddt =cliente =preventivo =protocollo =cf cro pdr pod contatore =rea =tavolo abi cab`,
	dutch: `-nummer -rekening -kenmerk -referentie -telefoon mobiel kostenplaats kvk rsin bsn =sectie =clausule =factuur =bon =bestelling =klant =polis =kassabon =pakbon =offerte =dossier =opdracht =debiteur factuurno`,
	nordic: `-nummer -nro -numero -tunnus -nr kid ocr konto kontonr -tilinumero -viite -postnr -puhelin =faktura =ordre =order =bong =kvittering =kvitto =kuitti =bilag =lasku =tilaus =kunde =kund =bestilling =bestallning =reikningur =pontun kennitala -numer vsk_nr =asiakas cvr rekvisition bankgiro plusgiro =bg =pg =kt`,
	polish: `nr numer numery kod konto rachunek nip regon krs pesel telefon tel pkwiu cn bdo =faktura =paragon =zamowienie =umowa =polisa =rachunek =zlecenie =oferta =klient =indeks =wz`,
	czechAndSlovak: `[^_]{4,}_c cislo kod ico dic ic_dph ucet psc telefon mobil iban symbol vs ks ss zak =faktura =uctenka =objednavka =doklad =smlouva =zmluva =blocek =zakazka =zakaznik ic dodaci_list odberne_miesto`,
	hungarian: `szam -szama -(?<!darab)szam sorszam adoszam azonosito kod -kodja bankszamla szamlaszam telefon iranyitoszam vtsz =szamla =nyugta =rendeles =szerzodes -kod -azonosito`,
	romanian: `nr numar numarul cod codul cont cui cif telefon serie cnp =factura =chitanta =bon =comanda =contract seria cont_bancar nlc cod_loc_consum`,
	southSlavic: `broj -broj stevilka sifra konto racun oib pib jmbg telefon posta poziv_na_broj sklic jib =racun =faktura =narudzba =narocilo =ugovor =pogodba br (?:racun|narocilo|dobavnica|pogodba|davcna|maticna)_st =model =mbs =mb =brojilo zki =referenca trr emso id_za_ddv`,
	baltic: `numeris nr kodas saskaita sask numurs konts kods number viitenumber konto kood reg_nr =saskaita_faktura =rekins =arve =tellimus =uzsakymas =pasutijums -number -kood kmkr =serija`,
	albanianAndMaltese: `numri numer nr kodi nipt nuis`,
	greek: `αριθμος αρ αρθμ αφμ κωδικος λογαριασμος τηλεφωνο τκ τ_κ μαρκ =τιμολογιο =αποδειξη =παραγγελια νο α_φ_μ α_μ δου γεμη =σειρα αμκα τηλ`,
	cyrillic: `номер номера кпп инн огрн окпо бик снилс код счет рс тел телефон индекс артикул едрпоу іпн рнокпп мфо рахунок еик егн иик бин пиб матични_број број =фактура =рахунок =ід =чек =заказ =замовлення =договор =договір =поръчка =накладная =квитанция =сметка фд фн фп рн_ккт зн_ккт унп л_с к_с р_с огрнип октмо окато =смена =паспорт =серия уин кбк єдрпоу егрпоу о_р прро =зн булстат ин_по_ддс партида урн иин жсн бсн стир икпу бр`,
	turkish: `no numarasi numara vkn tckn kodu kod hesap telefon tel mersis ettn sicil sira_no =fatura =fis =siparis =makbuz =irsaliye =police =dekont gtip voen`,
	arabic: `رقم الرقم كود الكود هاتف الهاتف حساب الحساب الرمز رمز مرجع المرجع جوال =فاتورة =الفاتورة =ايصال =الطلب السجل_التجاري س_ت`,
	hebrew: `מספר מס מס׳ קוד טלפון חשבון ח_פ ע_מ ת_ז =חשבונית =קבלה =הזמנה עוסק_מורשה =חוזה מק_ט אסמכתא =קופה תיק_ניכויים`,
	persianAndUrdu: `شماره کد تلفن حساب شناسه نمبر =فاکتور`,
	southAsian: `संख्या क्रमांक नंबर কোড নম্বর`,
	southEastAsian: `เลข- หมายเลข- รหัส- เบอร์- โทร โทรศัพท์ เล่มที่ ทะเบียน ma_so ma_so_thue mst so_hoa_don so_hd so_tai_khoan dien_thoai nomor no kode telepon hp npwp nik no_rekening faktur_pajak nombor invois =hoa_don =faktur =kuitansi =resit =invois =pesanan =ma dt ky_hieu mau_so cccd =ban =idpel id_pelanggan =meja =kasir =so`,
	eastAsian: `-番号 -号 -番 -コード -電話 -口座 -郵便番号 〒 -号码 -號碼 -编号 -編號 -代码 -代碼 -账号 -帳號 -税号 -电话 -電話號碼 -邮编 -单号 -번호 -코드 -전화 -계좌 -계좌번호 -號 -码 -碼 手机 統編 =レジ =責 責任者 =担当 =テーブル =伝票 -号室 =ロット マイナンバー -품번 -사번 =테이블 =호실`,
};

/** Words before a number that names a thing (`Nr faktury`), at the beginning of a name. */
export const NUMBER_WORDS: Rows = {
	latin: `no nr num numero numer number n nro nummer c cislo broj br stevilka nomor nombor numar numarul numri numeris numurs st so(?!_tien)`,
	others: `номер αρ αριθμος رقم מספר מס شماره เลขที่ број бр الرقم`,
};

/** The same, if the name has no word for an amount. */
export const CODE_WORDS: Rows = {
	french: `code ref reference compte telephone matricule identifiant`,
	spanishAndPortuguese: `codigo cuenta conta referencia telefono telefone identificacion cedula inscricao chave cod`,
	italian: `codice rif riferimento conto identificativo`,
	others: `kod kode kodas ma_[^_]+ код κωδικος كود קוד รหัส sifra шифра κωδ کد شناسه الكود رمز`,
};

/** What is counted: a number of these is an amount. */
export const COUNTED: Rows = {
	english: `items nights days hours guests pages copies pieces units persons people adults children employees boxes packages pallets cartons months years weeks shares installments instalments rooms of_[^_]+s visits tickets passengers`,
	german: `stuck tage nachte stunden personen kartons pakete paletten monate seiten einheiten gaste mitarbeiter teile`,
	french: `jours? nuits? heures? personnes? colis pieces articles mois pages unites parts palettes cartons`,
	spanishAndPortuguese: `bultos cajas dias noches horas personas unidades piezas paginas meses articulos cuotas volumes caixas noites pessoas pecas itens parcelas diarias plazas acciones pasajeros`,
	italian: `colli giorni notti ore persone pezzi pagine mesi articoli scatole rate ospiti`,
	dutch: `stuks dagen nachten uren personen colli dozen pallets maanden`,
	nordic: `dager dagar dage timer timmar antal antall kolli personer stk st natter netter`,
	slavic: `dni dnu godzin godziny sztuk szt opakowan osob noci nocy kusu kusov palet dana kosov дней часов штук мест человек дни броя`,
	others: `adet gun gece kisi orang hari malam koli barang unit ngay nguoi dem luong_kien darab nap ημερων τεμαχιων ימים יחידות لايام قطع luong`,
};

/** A time, and other numbers that are no amounts, while a date under such a name is one. */
export const NOT_AMOUNTS: Rows = {
	english: `time start end begin version revision lat lon lng latitude longitude exchange_rate =software =firmware =build =departure =arrival =checkin =checkout =check_in =check_out =from =to =fiscal_year =clock_in =clock_out time_in time_out =dep =arr =boarding =month =period =exp_month`,
	german: `beginn anfang ende uhrzeit startzeit endzeit breitengrad langengrad wechselkurs =zeit =abfahrt =ankunft =von =bis =kommen =gehen =uhr =arbeitsbeginn =arbeitsende von bis =abflug =monat =zeitraum =quartal abrechnungsmonat abrechnungszeitraum`,
	french: `debut =heure =heure_de_[^_]+ heure_debut heure_fin =version =fin =taux_de_change =cours_de_change =arrivee =depart heure_- =mois =periode`,
	spanishAndPortuguese: `=hora =hora_de_[^_]+ hora_inicio hora_fin latitud longitud =tipo_de_cambio =inicio =fim =llegada =desde =hasta =chegada horario hora_(?!extra)- =salida =saida =termino =periodo =mes`,
	italian: `=ora =ora_[^_]+ =versione latitudine longitudine =tasso_di_cambio =fine =inizio =orario =dalle =alle =entrata =uscita =mese`,
	dutch: `-tijd begintijd eindtijd starttijd einde versie breedtegraad lengtegraad wisselkoers =van =tot =aankomst =vertrek tijdstip =maand`,
	nordic: `klokkeslett klokkeslet klockslag kellonaika tid =kl =klokken =fra =til =fran =till =avgang =ankomst =klo =alku =loppu =slut =alkaa =paattyy =alkoi =kello`,
	slavic: `godzina cas ura vrijeme vreme время час =od =do =с =по =от =до =від godz =wejscie =wyjscie rozpoczecie zakonczenie =prichod =odchod =odjezd zacatek =konec =rok =okres =obdobi начало окончание початок кінець =приход =уход прибытия отправления`,
	others: `saat idopont ωρα jam waktu =jam =nota masa gio =เวลา เวลา -時刻 -時間帯 -时间 -時間 =開始 =終了 =始業 =終業 시간 -시각 الوقت =الوقت שעה =kezdes =vege =erkezes =tavozas baslangic bitis =giris =cikis giris_saati jam_masuk jam_keluar =pukul gio_vao gio_ra εναρξη ωρα_εναρξης =plecare =sosire =laiks =laikas =kell =aeg שעת_[^_]+ وقت الساعة ساعة_[^_]+ ساعت =出勤 =退勤 =出発 =到着 上班 下班 =출근 =퇴근 =시작 =종료 เวลา- masa_masuk masa_keluar`,
};

/** Dates. A name that also means an amount means that: Amount Due. */
export const DATES: Rows = {
	english: `date dates dated dob due_by due_on =due =posted =issued =valid_until =expires expiry =exp expiration valid_thru`,
	german: `-datum -tag(?!e) -termin -frist fallig faelligkeit -falligkeit =valuta =gultig_bis wertstellung falligkeitsdatum =buchung =wert mhd mindesthaltbarkeit`,
	french: `echeance =valeur_le =emis_le =valeur dlc dluo`,
	spanishAndPortuguese: `fecha data vencimiento vencimento f_emision fec validade vto vcto caducidad f_valor f_operacion f_cad =val =vence vencto`,
	italian: `data scadenza =valuta =emesso_il =scad`,
	dutch: `-datum vervaldag =geldig_tot`,
	nordic: `-dato -datum forfall forfald forfallodag -dag paivays -paiva -paivamaara erapaiva dagsetning gjalddagi eindagi bogfort`,
	polish: `data daty termin`,
	czechAndSlovak: `-datum splatnost splatne vystaveno`,
	hungarian: `datum -datum kelt kelte hatarido esedekesseg teljesites erteknap napja`,
	romanian: `data scadent scadenta termen`,
	southSlavic: `datum dospijece dospece rok_placila датум рок_за_плаќање rok_placanja вальор`,
	baltic: `data datums kuupaev tahtaeg termins terminas apmaksas_termins`,
	greek: `ημερομηνια ημνια ημ_νια ληξη ημερ`,
	cyrillic: `дата срок падеж термін`,
	turkish: `tarih tarihi -tarihi vade valor`,
	arabic: `تاريخ التاريخ الاستحقاق`,
	hebrew: `תאריך ת_ערך`,
	persianAndUrdu: `تاریخ سررسید`,
	southAsian: `तिथि दिनांक तारीख তারিখ`,
	southEastAsian: `วันที่ tanggal tgl jatuh_tempo tarikh ngay -ngay han petsa วัน-`,
	eastAsian: `-日 -日付 -期日 -期限 -年月日 -日期 -일 -일자 -날짜 -기한`,
};

/** Births: the century of a year of two digits is open. */
export const BIRTHS: Rows = {
	all: `dob -birth -birthday birthdate born -geburt- geb -geburtsdatum naissance nacimiento nascimento nascita geboorte- -fodsel- -fodd fodelse- syntyma- urodzenia narozeni narodenia szuletes- szuletesi nasterii rodenja rojstva dzimsanas gimimo sunni- γεννηση- рождения народження раждане dogum- lahir -生年月日 -出生- -생년월일 الميلاد לידה sinh เกิด`,
};

/** Prices of a unit, rates and tariffs, which have more decimals than amounts. */
export const UNIT_PRICES: Rows = {
	english: `unit_price unit_cost unit_rate price_per price_[^_]{1,3} rate rates tariff per_unit per_[^_]{1,5} ppl ppg price_each`,
	german: `preis_(?:liter|kg|l|je|pro|stk|stuck|kwh|m) -einzelpreis -stuckpreis -einheitspreis -arbeitspreis -grundpreis -tarif -kurs e_preis ep`,
	french: `prix_unitaire prix_unit pu p_u prix_par prix_[^_]{1,3} tarif taux cours`,
	spanishAndPortuguese: `precio_unitario preco_unitario precio_unit valor_unitario p_unit v_unit precio_por preco_por precio_[^_]{1,3} preco_[^_]{1,3} tarifa tasa taxa termino`,
	italian: `prezzo_unitario prezzo_unit prezzo_[^_]{1,3} tariffa tasso prezzo`,
	dutch: `eenheidsprijs stukprijs prijs_per prijs_[^_]{1,3} tarief koers`,
	nordic: `a_pris enhetspris enhedspris stykpris stk_pris pris_per yksikkohinta a_hinta hinta_[^_]{1,3} kurs einingarverd gengi`,
	slavic: `cena_jednostkowa cena_jedn cena_netto cena_za jednotkova_cena cena_mj cena_za_mj jedinicna_cijena cijena cena цена тариф ціна курс`,
	others: `egysegar ar_[^_]+ arfolyam pret_unitar pret curs τιμη_μοναδας τιμη birim_fiyat birim_fiyati fiyat kur -単価 -单价 -單價 -단가 -汇率 don_gia harga_satuan harga tarif ราคาต่อหน่วย سعر السعر سعر_الوحدة מחיר_יחידה מחיר`,
};

/** Amounts, under whose names a bookkeeper expects a number. */
export const AMOUNTS: Rows = {
	english: `total totals subtotal amount amounts sum net gross tax taxes price balance`,
	german: `-betrag -summe -gesamt gesamtsumme netto brutto -steuer mwst ust -preis saldo -kontostand rabatt skonto`,
	french: `total montant somme net_a_payer ttc ht tva solde remise prix`,
	spanishAndPortuguese: `total importe monto suma subtotal neto bruto iva saldo precio valor_total valor preco liquido a_pagar descuento desconto igv itbis itbms isv`,
	italian: `totale importo somma imponibile netto lordo iva saldo prezzo sconto`,
	dutch: `-totaal subtotaal -bedrag netto bruto btw saldo prijs korting`,
	nordic: `-belop belob -sum summa totalt netto brutto moms mva saldo att_betala a_betale i_alt samtals upphaed yhteensa alv veroton verollinen -summa loppusumma vsk`,
	polish: `suma razem kwota wartosc netto brutto do_zaplaty saldo`,
	czechAndSlovak: `celkem suma spolu castka ciastka zaklad dph k_uhrade zustatek`,
	hungarian: `osszesen osszeg netto brutto afa fizetendo vegosszeg`,
	romanian: `total suma valoare tva de_plata sold`,
	southSlavic: `ukupno iznos osnovica pdv znesek skupaj za_placilo ddv stanje укупно износ`,
	baltic: `suma is_viso pvm summa kopa pvn kokku kaibemaks tasuda`,
	greek: `συνολο ποσο αξια φπα πληρωτεο υπολοιπο`,
	cyrillic: `сумма сума итог итого разом всього общо ндс пдв ддс к_оплате баланс остаток вкупно`,
	turkish: `toplam tutar tutari genel_toplam kdv matrah odenecek bakiye`,
	arabic: `الاجمالي المجموع المبلغ مبلغ اجمالي الضريبة الصافي الرصيد`,
	hebrew: `סה_כ סכום מע_מ לתשלום יתרה`,
	persianAndUrdu: `جمع مبلغ مالیات کل رقم`,
	southAsian: `कुल राशि মোট`,
	southEastAsian: `รวม รวมทั้งสิ้น จำนวนเงิน ยอดรวม ภาษี total jumlah jumlah_bayar ppn tong tong_cong thanh_tien so_tien tien_thue cong_tien_hang harga`,
	eastAsian: `-金額 -合計 -小計 -総額 -税額 -消費税 -残高 -金额 -合计 -税额 -总计 -總計 -稅額 -总额 -合計金額 -합계 -금액 -세액 -총액 -부가세`,
};

/** Beside an amount's name, these mean that something else is added up, or said about it. */
export const NO_AMOUNTS: Rows = {
	all: `words word worten lettres letras lettere slownie slovy prepisem прописью weight gewicht poids peso qty quantity menge hours stunden pages seiten days tage points units items year period periode class klasse office type pieces km kg kwh count date fecha data dato datum`,
};
